package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"waybill/app/api"
	"waybill/app/gh"
	"waybill/app/slack"
	"waybill/config"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
	"waybill/store"

	"github.com/rs/zerolog"
)

// slackClient makes the client for Slack, if there is one.
func slackClient(c config.Slack, s World) *slack.Client {
	if !c.On() {
		return nil
	}
	return slack.New(slack.Config{
		BotToken: string(c.BotToken), AppToken: string(c.AppToken), APIURL: c.APIURL, Transport: s.Wire, Clock: s.Clock,
	})
}

// transient reports whether the same may be asked again, of GitHub or of Slack.
func transient(err error) bool {
	_, slacks := slack.Transient(err)
	return slacks || errors.Is(err, gh.ErrTransient)
}

// retryAfter is how long the other side asked to wait; 0 if it did not say.
func retryAfter(err error) time.Duration {
	after, _ := slack.Transient(err)
	return max(after, gh.RetryAfter(err))
}

// listenToSlack takes what Slack tells by Socket Mode into the same inbox as what comes over HTTP, until the context
// ends. A connection that cannot be made is tried again for ever: GitHub's half works without it.
func (a *App) listenToSlack(ctx context.Context) error {
	for ctx.Err() == nil {
		err := a.slack.Listen(ctx, func(ctx context.Context, payload json.RawMessage) error {
			_, _, err := handlers.AcceptSlack(ctx, inbox{a}, payload, a.clock())
			if errors.Is(err, handlers.ErrIgnored) || errors.Is(err, handlers.ErrAltered) {
				return nil
			}
			return err
		})
		if ctx.Err() == nil {
			zerolog.Ctx(ctx).Error().Err(err).Msg("not connected to Slack: is SLACK_APP_TOKEN right?")
			sleep(ctx, nil, time.Minute)
		}
	}
	return nil
}

// understandSlack takes what somebody did in Slack for commands. Whoever it is there, what counts is who they are on
// GitHub; of those whose account nobody knows, questions alone are answered.
func (a *App) understandSlack(ctx context.Context, d *store.Delivery) (record, error) {
	act, err := handlers.DecodeSlack(d.Event, d.Body)
	if errors.Is(err, handlers.ErrIgnored) || err == nil && a.slack == nil {
		a.metrics.ignored.WithLabelValues(d.Event).Inc()
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	user, why, err := a.inSlack(ctx, act)
	if err != nil {
		return nil, err
	}
	if why != "" {
		a.whisper(ctx, act, slack.Message{Text: "Refused: " + say.Mrkdwn(why) + "."})
		return nil, nil
	}
	if act.Kind == handlers.SlackHome {
		return nil, a.openHome(ctx, user)
	}
	words := strings.Fields(act.Text)
	if act.Kind != handlers.SlackButton && len(words) > 0 && (words[0] == "link" || words[0] == "unlink") {
		return a.linkInSlack(ctx, act, user, words[0])
	}
	if act.Kind != handlers.SlackButton && len(words) > 0 && words[0] == "dms" {
		return a.directInSlack(ctx, act, user, strings.Join(words[1:], " "))
	}
	return a.askInSlack(ctx, d, act, user)
}

// inSlack returns who did something, or why they may not (T26).
func (a *App) inSlack(ctx context.Context, act handlers.SlackAct) (u store.SlackUser, why string, err error) {
	home, err := a.slack.Home(ctx)
	if err != nil {
		return u, "", err
	}
	sameOrg := home.Enterprise != "" && act.Enterprise == home.Enterprise
	if !sameOrg && (act.Team != home.Team || act.UserTeam != "" && act.UserTeam != home.Team) {
		return u, "people from other workspaces may not", nil
	}
	person, err := a.slack.Who(ctx, act.User)
	return store.SlackUser{Team: teamIn(home), ID: act.User}, person.Stranger, err
}

// linkInSlack offers somebody to say on the web who they are on GitHub, or ends that.
func (a *App) linkInSlack(ctx context.Context, act handlers.SlackAct, u store.SlackUser, word string) (record, error) {
	if word == "unlink" {
		return func(tx *store.Tx) error {
			a.whisper(ctx, act, slack.Message{Text: "Your accounts in Slack and on GitHub are no longer linked."})
			return tx.People.Unlink(u)
		}, nil
	}
	offer, err := a.linkOffer(ctx, u)
	if err == nil {
		a.whisper(ctx, act, offer)
	}
	return nil, err
}

// linkOffer makes an address at which somebody can link their accounts, once.
func (a *App) linkOffer(ctx context.Context, u store.SlackUser) (slack.Message, error) {
	person, err := a.slack.Who(ctx, u.ID)
	if err != nil {
		return slack.Message{}, err
	}
	o := store.LinkOffer{State: rand.Text() + rand.Text(), For: u, Name: person.Name, Expires: a.clock().Add(api.LinkTime)}
	if err := a.store.Update(ctx, func(tx *store.Tx) error { return tx.People.OfferLink(o) }); err != nil {
		return slack.Message{}, err
	}
	text := "To act here, say who you are on GitHub. The button is for you alone and lasts ten minutes."
	return slack.Message{Text: text, Parts: []slack.Part{{Text: text}, {Buttons: []slack.Button{
		{Action: "link", Words: "Link with GitHub", Style: "primary", URL: a.publicURL + api.LinkPath + "?state=" + url.QueryEscape(o.State)},
	}}}}, nil
}

// askInSlack asks what somebody wants, through the same door as everybody.
func (a *App) askInSlack(ctx context.Context, d *store.Delivery, act handlers.SlackAct, u store.SlackUser) (record, error) {
	var who promotion.Actor
	var linked bool
	c, repo, understood := a.wanted(ctx, act)
	if act.Action == "link" {
		return nil, nil
	}
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		who, linked, err = tx.People.Linked(u)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case !understood:
		c = promotion.Command{Verb: promotion.CmdHelp}
	case !linked && !command.IsQuestion(c.Verb):
		offer, err := a.linkOffer(ctx, u)
		if err == nil {
			a.whisper(ctx, act, offer)
		}
		return nil, err
	}
	if repo == "" {
		if repo = a.pipelines.told(act.Channel, c.Stage); repo == "" {
			a.whisper(ctx, act, slack.Message{Text: "No stage of that name is told of in Slack, or several pipelines have it: ask on GitHub, or give the stage a `slack:` channel."})
			return nil, nil
		}
	}
	surface := slackSurface{Channel: act.Channel, User: act.User, Delivery: d.GUID}
	if act.Kind == handlers.SlackMention {
		surface = slackSurface{Channel: act.Channel, Thread: act.Thread}
	}
	return a.ask(ctx, request{
		Repo: repo, Commands: []promotion.Command{c}, By: who, Reader: !linked, At: d.Received, Surface: surface.String(), Typed: fingerprint(act.Text),
	})
}

// wanted reads the command that was typed or pressed. A button names the promotion that it was shown for.
func (a *App) wanted(ctx context.Context, act handlers.SlackAct) (c promotion.Command, home promotion.Repo, understood bool) {
	if act.Kind != handlers.SlackButton {
		c, understood = command.ParseCommand(act.Text)
		return c, "", understood
	}
	verb := promotion.CommandVerb(act.Action)
	pipeline, n, seen, is := parsePressed(act.Value)
	if !is || !command.GivenBy(verb, command.InSlack) {
		return c, "", false
	}
	err := a.store.View(ctx, func(tx *store.Tx) error {
		p, err := tx.Ledger.Promotion(pipeline, n)
		if err != nil {
			return err
		}
		row, err := tx.Ledger.Pipeline(pipeline)
		c, home = promotion.Command{Verb: verb, Stage: p.Stage, Seen: seen}, row.Repo
		return err
	})
	return c, home, err == nil
}

// pressedOf is the value of a button: the pipeline, and the promotion and the plan that its card shows.
func pressedOf(pipeline int64, seen string) string { return fmt.Sprintf("%d/%s", pipeline, seen) }

// parsePressed reads what pressedOf wrote.
func parsePressed(value string) (pipeline int64, n promotion.Number, seen string, is bool) {
	id, seen, _ := strings.Cut(value, "/")
	number, _, _ := strings.Cut(seen, ".")
	pipeline, err := strconv.ParseInt(id, 10, 64)
	if err == nil {
		var parsed int64
		parsed, err = strconv.ParseInt(number, 10, 64)
		n = promotion.Number(parsed)
	}
	return pipeline, n, seen, err == nil
}

// whisper tells whoever did something, and nobody else; in their App Home where it was done there. It is not tried
// again: they can ask again.
func (a *App) whisper(ctx context.Context, act handlers.SlackAct, m slack.Message) {
	var err error
	switch {
	case act.ReplyTo != "":
		err = a.slack.Respond(ctx, act.ReplyTo, m)
	case act.Kind == handlers.SlackHome || act.Channel == "":
		err = a.slack.ShowHome(ctx, act.User, m)
	default:
		err = a.slack.Whisper(ctx, act.Channel, act.User, act.Thread, m)
	}
	if err != nil {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("not answered in Slack")
	}
}
