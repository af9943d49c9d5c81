package inslack

import (
	"context"
	"errors"
	"strings"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/slack"
	"waybill/app/surface"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/gate"
	"waybill/promotion/say"
	"waybill/store"
)

const (
	// maxTold is how many people get a direct message about one promotion.
	maxTold = 20
	// maxLookedUp is how many people's rights are asked for that. Each costs a request of GitHub, and one for each team
	// that the policy names, unless it was asked in the last five minutes.
	maxLookedUp = 50
)

// callAddress names the view that finds the people to notify of a promotion, and directAddress the message to one of
// them.
func callAddress(card string) string { return card + "/call" }

func directAddress(card, user string) string { return card + "/to/" + user }

// wantCall has the people who may sign a promotion off notified directly, once in its life. Who they are is GitHub's to
// say, and is asked when nothing waits for the answer.
func wantCall(tx *store.Tx, key store.StageKey, card string, n promotion.Number) error {
	_, err := wantSlack(tx, key, n, callAddress(card), slackView{Call: n})
	return err
}

// wantDirect has the direct messages about a promotion follow the message in the channel.
func wantDirect(tx *store.Tx, key store.StageKey, about promotion.Number, card string, shows say.Card) error {
	there, err := tx.Views.ViewsUnder(card + "/to")
	for i := 0; err == nil && i < len(there); i++ {
		user := strings.TrimPrefix(there[i].Surface, directAddress(card, ""))
		_, err = wantSlack(tx, key, about, there[i].Surface, slackView{To: user, Card: shows})
	}
	return err
}

// notifySigners finds the people who may give the missing sign-offs of a promotion, and has each notified.
func (in *Surface) notifySigners(ctx context.Context, v *store.View, n promotion.Number) error {
	home, err := in.slack.Home(ctx)
	if err != nil {
		return err
	}
	var row store.PipelineRow
	var s *promotion.Snapshot
	var people []store.Link
	key := store.StageKey{Pipeline: v.Pipeline, Stage: v.Stage}
	err = in.Store.View(ctx, func(tx *store.Tx) error {
		if row, err = tx.Pipelines.ByID(v.Pipeline); err != nil {
			return err
		}
		p, err := in.Pipelines.Compiled(row)
		if err != nil || p.Stage(v.Stage) == nil {
			return err
		}
		if s, err = tx.Ledger.Snapshot(p, key); err != nil {
			return err
		}
		people, err = tx.People.Reachable(teamIn(home), v.Pipeline, maxLookedUp)
		return err
	})
	if err != nil || s == nil {
		return err
	}
	called, err := in.signers(ctx, row, s, n, people)
	if err != nil || len(called) == 0 {
		return err
	}
	return in.Store.Update(ctx, func(tx *store.Tx) error {
		card := strings.TrimSuffix(v.Surface, callAddress(""))
		var shows slackView
		if there, err := surface.Wanted(tx, card, &shows); err != nil || !there {
			return err
		}
		for _, user := range called {
			if _, err := wantSlack(tx, key, n, directAddress(card, user), slackView{To: user, Card: shows.Card}); err != nil {
				return err
			}
		}
		return nil
	})
}

// signers returns those of the people who may sign a promotion off and have not: they must have the right on GitHub,
// and be members in Slack.
func (in *Surface) signers(
	ctx context.Context, row store.PipelineRow, s *promotion.Snapshot, n promotion.Number, people []store.Link,
) (users []string, err error) {
	for _, one := range people {
		if len(users) == maxTold {
			break
		}
		permission, teams, err := in.Rights.Of(ctx, row, one.By, false)
		if errors.Is(err, gh.ErrNotFound) || errors.Is(err, gh.ErrNoAccess) {
			continue
		}
		if err != nil {
			return nil, err
		}
		lacks := gate.KeeperOf(s, in.Clock()).LacksSignOff
		if !command.MaySignOff(s, n, one.By, permission, teams, lacks) {
			continue
		}
		person, err := in.slack.Who(ctx, one.User.ID)
		if err != nil {
			return nil, err
		}
		if person.Stranger == "" {
			users = append(users, one.User.ID)
		}
	}
	return users, nil
}

// sentOnce is the id of a direct message while it is being sent: a later try does not know whether it arrived.
const sentOnce = "sent"

// showDirect sends a direct message, or changes it. It sends a message only once: Slack cannot say whether a message
// has arrived whose answer was lost, and a second message is worse than none, because the channel and the App Home show
// the same.
func (in *Surface) showDirect(ctx context.Context, v *store.View, shows slackView) (id string, err error) {
	channel, ts, there := strings.Cut(v.RemoteID, "/")
	switch {
	case there:
		err = in.slack.Update(ctx, slack.Place{Channel: channel, TS: ts}, shows.message())
		return v.RemoteID, unlessRefused(ctx, v, err)
	case v.RemoteID != "" || !shows.Asks():
		return v.RemoteID, nil // it was sent, or asks for nothing any more
	}
	if err := in.noteSent(ctx, v, sentOnce); err != nil {
		return "", err
	}
	at, err := in.slack.Post(ctx, slack.Place{Channel: shows.To}, shows.message())
	switch {
	case err == nil:
		return at.Channel + "/" + at.TS, nil
	case slack.Untaken(err):
		return "", errors.Join(err, in.noteSent(ctx, v, ""))
	}
	zerolog.Ctx(ctx).Warn().Err(err).Str("view",
		v.Surface).Msg("a direct message may not have arrived, and is not sent again: are messages to the App switched on?")
	return sentOnce, nil
}

func (in *Surface) noteSent(ctx context.Context, v *store.View, id string) error {
	return in.Store.Update(ctx, func(tx *store.Tx) error { return tx.Views.NoteRemote(v, id) })
}

// unlessRefused returns the error of a message if the same may be tried again, and otherwise nil: the message is left
// as it is until there is something new to show. Slack refuses a channel that is archived, misspelt, or not the bot's,
// each time.
func unlessRefused(ctx context.Context, v *store.View, err error) error {
	if _, again := slack.Transient(err); err == nil || again {
		return err
	}
	zerolog.Ctx(ctx).Warn().Err(err).Str("view", v.Surface).Msg("a message is left as it is until something is new")
	return nil
}

// switchDirect switches a person's direct messages on or off, by "dms on" and "dms off".
func (in *Surface) switchDirect(act handlers.SlackAct, u store.SlackUser, word string) surface.Input {
	if word != "on" && word != "off" {
		return in.whispered(act, answersToUnlinked, slack.Message{
			Text: "Say `/waybill dms on` or `/waybill dms off`: whether you are told directly what waits for your sign-off.",
		})
	}
	text := "You are told directly what waits for your sign-off. `/waybill dms off` ends that."
	if word == "off" {
		text = "You get no direct messages any more. `/waybill dms on` brings them back."
	}
	input := surface.Input{
		Record: func(tx *store.Tx) error {
			linked, err := tx.People.Quiet(u, word == "off")
			if err == nil && !linked {
				text = "You get no direct messages: nobody knows who you are on GitHub. `/waybill link` changes that."
			}
			return err
		},
	}
	if in.mayTell(act.User, answersToUnlinked) {
		input.After = func(ctx context.Context, _ bool) { in.whisper(ctx, act, slack.Message{Text: text}) }
	}
	return input
}

// teamIn returns the id under which links of people are kept: the organization if there is one, else the workspace.
func teamIn(home slack.Home) string {
	if home.Enterprise != "" {
		return home.Enterprise
	}
	return home.Team
}
