package inslack

import (
	"context"
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/slack"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/gate"
	"waybill/promotion/say"
	"waybill/store"
)

// maxHomeCards bounds each list in an App Home: with their buttons they must fit into the limits of Slack.
const maxHomeCards = 10

// openHome shows a person the promotions that wait for them when they open their App Home. After a failure of Slack or
// GitHub it is tried again; after any other they can open it again.
func (in *Surface) openHome(ctx context.Context, u store.SlackUser) error {
	err := in.showHome(ctx, u)
	if err == nil || work.Transient(err) {
		return err
	}
	zerolog.Ctx(ctx).Warn().Err(err).Msg("an App Home was not shown: is the Home Tab switched on?")
	return nil
}

// showHome fills a person's App Home, below an answer that they get there.
func (in *Surface) showHome(ctx context.Context, u store.SlackUser, answer ...slack.Part) error {
	who, linked, err := in.linked(ctx, u)
	if err != nil {
		return err
	}
	if !linked {
		offer, err := in.linkOffer(ctx, u)
		if err != nil {
			return err
		}
		return in.slack.ShowHome(ctx, u.ID, offer)
	}
	parts, err := in.waitingFor(ctx, who)
	if err != nil {
		return err
	}
	return in.slack.ShowHome(ctx, u.ID, slack.Message{Parts: append(answer, parts...)})
}

// waitingFor lists the promotions that wait for a person, and the person's holds, in the pipelines that are told
// of in Slack.
func (in *Surface) waitingFor(ctx context.Context, who promotion.Actor) ([]slack.Part, error) {
	var waiting, held []say.Card
	channels, err := in.viewChannels(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range in.Pipelines.ToldOf(channels) {
		permission, teams, err := in.Rights.Of(ctx, c.Row, who, false)
		if errors.Is(err, gh.ErrNotFound) || errors.Is(err, gh.ErrNoAccess) {
			continue // the App is not installed there any more
		}
		if err != nil {
			return nil, err
		}
		err = in.Store.View(ctx, func(tx *store.Tx) error {
			for _, stage := range c.Pipeline.Stages {
				s, err := tx.Ledger.Snapshot(c.Pipeline, store.StageKey{Pipeline: c.Row.ID, Stage: stage.Name})
				if err != nil {
					return err
				}
				waiting = append(waiting, say.CardsFor(c.Pipeline, decide.Waits(s, tx.Now), permission, teams)...)
				if stage.Index == 0 {
					held = append(held, say.HoldCards(c.Pipeline, gate.KeeperOf(s, tx.Now).HeldBy(who))...)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	parts := homeList("*Waiting for you*", "Nothing waits for you.", waiting)
	return append(parts, homeList("*What you hold*", "You hold nothing.", held)...), nil
}

// homeList is one list of an App Home, with the number of entries that it leaves out.
func homeList(title, none string, cards []say.Card) []slack.Part {
	if len(cards) == 0 {
		return []slack.Part{{Text: none}}
	}
	parts := []slack.Part{{Text: title}}
	for _, c := range cards[:min(len(cards), maxHomeCards)] {
		parts = append(parts, slackView{Card: c}.message().Parts...)
	}
	if more := len(cards) - maxHomeCards; more > 0 {
		parts = append(parts, slack.Part{Small: fmt.Sprintf("+%d more", more)})
	}
	return parts
}
