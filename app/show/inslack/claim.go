package inslack

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"waybill/app/gh"
	"waybill/app/slack"
	"waybill/app/surface"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// channels reads in which channels pipelines are told of.
func (in *Surface) channels(tx *store.Tx) (store.Channels, error) {
	return tx.Names.Channels(in.Owners.Sole())
}

// viewChannels reads them in a transaction of its own, and has the pipelines known as they are now.
func (in *Surface) viewChannels(ctx context.Context) (c store.Channels, err error) {
	if err := in.Pipelines.Follow(ctx, in.Store); err != nil {
		return c, err
	}
	err = in.Store.View(ctx, func(tx *store.Tx) error {
		c, err = in.channels(tx)
		return err
	})
	return c, err
}

// claimed carries out "claim OWNER/REPO" and "unclaim OWNER/REPO": whether the pipelines of a repository's owner may be
// told of in the channel. Only who may write to the repository may say so. Everybody else gets the same answer whether
// the repository exists or not.
func (in *Surface) claimed(
	ctx context.Context, d surface.Delivery, act handlers.SlackAct, u store.SlackUser, verb, repo string,
) (surface.Input, error) {
	if act.Channel == "" || strings.HasPrefix(act.Channel, "D") || len(strings.Fields(repo)) != 1 {
		return in.whispered(act, answersToUnlinked, slack.Message{Text: "Say `/waybill " + verb +
			" OWNER/REPO` in a channel, with the repository of a pipeline."}), nil
	}
	who, linked, err := in.linked(ctx, u)
	if err != nil {
		return surface.Input{}, err
	}
	if !linked {
		return in.offered(ctx, act, u)
	}
	if !in.mayTell(act.User, answersToLinked) {
		return surface.Input{}, nil
	}
	row, may, err := in.mayClaim(ctx, promotion.Repo(repo), who)
	if err != nil {
		return surface.Input{}, err
	}
	if !may {
		return in.whispering(act, slack.Message{Text: fmt.Sprintf(
			"Refused: you need write access to `%[1]s`, and `%[1]s` needs a pipeline file.", say.Mrkdwn(repo))}), nil
	}
	c := store.Channel{ID: act.Channel, Name: act.Called, Installation: row.Installation}
	text := fmt.Sprintf("<@%s> has claimed this channel for %s: Waybill posts here about stages with `slack:` for "+
		"this channel.", act.User, row.Repo.Owner())
	write := func(tx *store.Tx) error {
		return errors.Join(tx.Names.ClaimChannel(c), tx.Views.PostRefused(c.Installation))
	}
	if verb == "unclaim" {
		text = fmt.Sprintf("<@%s> has taken back what %s claimed: Waybill posts nothing about them here any more.", act.User,
			row.Repo.Owner())
		write = func(tx *store.Tx) error { return tx.Names.UnclaimChannel(c.ID, c.Installation) }
	}
	input := in.whispering(act, slack.Message{Text: "Done, and everybody here is told. If nothing shows, I am " +
		"not in this channel: `/invite @waybill`."})
	input.Record = func(tx *store.Tx) error {
		news := slackView{Channel: c.ID, Card: say.Card{Text: text, Body: text}}
		_, err := wantSlack(tx, store.StageKey{Pipeline: row.ID}, 0, "slack:claim/"+d.GUID, news)
		if err == nil {
			err = write(tx)
		}
		if err != nil {
			return err
		}
		return in.lookAgain(tx, row.Installation)
	}
	return input, nil
}

// linked returns the account on GitHub of a person in Slack.
func (in *Surface) linked(ctx context.Context, u store.SlackUser) (who promotion.Actor, known bool, err error) {
	err = in.Store.View(ctx, func(tx *store.Tx) error {
		who, known, err = tx.People.Linked(u)
		return err
	})
	return who, known, err
}

// mayClaim reports whether a person may write to the home of a pipeline.
func (in *Surface) mayClaim(
	ctx context.Context, repo promotion.Repo, who promotion.Actor,
) (row store.PipelineRow, may bool, err error) {
	if err := in.Pipelines.Follow(ctx, in.Store); err != nil {
		return row, false, err
	}
	id := in.Pipelines.IDByHome(repo)
	if id == 0 {
		return row, false, nil
	}
	if row, err = in.Home(ctx, id); err != nil {
		return row, false, err
	}
	has, _, err := in.Rights.Of(ctx, row, who, true)
	if errors.Is(err, gh.ErrNotFound) || errors.Is(err, gh.ErrNoAccess) {
		return row, false, nil
	}
	return row, has >= promotion.Write, err
}

// lookAgain has the messages about an installation's stages written anew.
func (in *Surface) lookAgain(tx *store.Tx, installation int64) error {
	for _, c := range in.Pipelines.ToldOf(store.Channels{Sole: true}) {
		if c.Row.Installation != installation {
			continue
		}
		for _, s := range c.Pipeline.Stages {
			if s.Slack == "" {
				continue
			}
			if err := tx.Stages.Touch(store.StageKey{Pipeline: c.Row.ID, Stage: s.Name}); err != nil {
				return err
			}
		}
	}
	return nil
}
