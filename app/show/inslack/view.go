package inslack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"waybill/app/slack"
	"waybill/app/surface"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/say"
	"waybill/store"
)

const (
	// freshFor is how long after its end a promotion without a message still gets one.
	freshFor = 10 * time.Minute
	// toldPromotions bounds how many promotions of a stage have a message that is kept up to date: the newest.
	toldPromotions = 10
)

// slackView is the content of a view of kind slack: a message in a channel, in the thread of another view, or to one
// person; or the task to find the people who get one.
type slackView struct {
	Channel string
	Under   string           // the address of the view that begins the thread; empty: none does
	To      string           `json:",omitempty"` // its only reader
	Call    promotion.Number `json:",omitempty"` // the promotion that lacks sign-offs
	Loud    bool
	say.Card
}

// Want writes down the messages about a stage's promotions: one for each, and in its thread a line for each state that
// people care about.
func (in *Surface) Want(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	if in.slack == nil || s.Removed || s.Stage.Slack == "" {
		return nil
	}
	channels, err := in.channels(tx)
	if err != nil {
		return err
	}
	channel := channels.Of(in.Pipelines.Installation(key.Pipeline), s.Stage.Slack)
	if channel == "" {
		return nil // nobody has claimed the channel
	}
	for i := max(0, len(s.Promotions)-toldPromotions); i < len(s.Promotions); i++ {
		if err := wantMessage(tx, s, key, channel, &s.Promotions[i]); err != nil {
			return err
		}
	}
	return nil
}

func wantMessage(
	tx *store.Tx, s *promotion.Snapshot, key store.StageKey, channel string, p *promotion.Promotion,
) error {
	address := fmt.Sprintf("slack:%d/%d", key.Pipeline, p.Number)
	if p.State.Ended() && tx.Now.Sub(p.Ended) > freshFor {
		if _, err := tx.Views.ViewBySurface(address); errors.Is(err, store.ErrNotFound) {
			return nil
		}
	}
	at := decide.WhyPromoted(s, p, tx.Now)
	card := say.CardOf(s.Pipeline, at)
	changed, err := wantSlack(tx, key, p.Number, address, slackView{Channel: channel, Card: card})
	if err == nil && changed {
		err = wantDirect(tx, key, p.Number, address, card)
	}
	if err == nil && say.WaitsForSignOff(at) {
		err = wantCall(tx, key, address, p.Number)
	}
	if err != nil || p.State == promotion.Queued || p.State == promotion.Running {
		return err
	}
	line := slackView{Channel: channel, Under: address, Loud: say.Loud(p.State, at.Reason),
		Card: say.Card{Text: card.Text, Body: card.Text, Small: say.CardLinks(at)}}
	if _, err = wantSlack(tx, key, p.Number, address+"/"+string(p.State), line); err != nil {
		return err
	}
	if card, is := say.RecoveredCard(at); is {
		line = slackView{Channel: channel, Under: address, Loud: true, Card: card}
		_, err = wantSlack(tx, key, p.Number, address+"/"+string(promotion.Recovered), line)
	}
	return err
}

// wantSlack writes down a message about a promotion, and reports whether it has changed.
func wantSlack(
	tx *store.Tx, key store.StageKey, about promotion.Number, address string, look slackView,
) (changed bool, err error) {
	v := store.View{
		Surface: address, Pipeline: key.Pipeline, Stage: key.Stage, Kind: surface.KindSlack, Promotion: about,
		Account: store.AccountSlack,
	}
	return surface.WantNew(tx, v, look)
}

// showOne posts a message, or changes it, and returns its id.
func (in *Surface) showOne(ctx context.Context, v *store.View) (id string, err error) {
	var wanted slackView
	if err := surface.ReadLook(v, &wanted); err != nil {
		return "", err
	}
	switch {
	case in.slack == nil:
		return v.RemoteID, nil // Slack is not set up any more
	case wanted.Call != 0:
		return "", in.notifySigners(ctx, v, wanted.Call)
	case wanted.To != "":
		return in.showDirect(ctx, v, wanted)
	}
	m := wanted.message()
	if channel, ts, is := strings.Cut(v.RemoteID, "/"); is {
		err := in.slack.Update(ctx, slack.Place{Channel: channel, TS: ts}, m)
		if !slack.Refused(err, "message_not_found", "cant_update_message", "edit_window_closed") {
			return v.RemoteID, unlessRefused(ctx, v, err)
		}
	}
	if is, err := in.isStale(ctx, v); err != nil || is {
		return v.RemoteID, err
	}
	to := slack.Place{Channel: wanted.Channel}
	if wanted.Under != "" {
		if to, err = in.placeOf(ctx, wanted.Under); err != nil {
			return "", err
		}
		if to.TS == "" {
			return store.RefusedBySlack, nil
		}
	}
	at, err := in.slack.Post(ctx, to, m)
	if err != nil {
		return store.RefusedBySlack + slack.Word(err), unlessRefused(ctx, v, err)
	}
	return at.Channel + "/" + at.TS, nil
}

// isStale reports whether a message that Slack refused is of a promotion that ended too long ago to be told of now.
func (in *Surface) isStale(ctx context.Context, v *store.View) (is bool, err error) {
	if !v.RefusedBySlack() || v.Promotion == 0 {
		return false, nil
	}
	err = in.Store.View(ctx, func(tx *store.Tx) error {
		p, err := tx.Promotions.ByNumber(v.Pipeline, v.Promotion)
		is = p.State.Ended() && tx.Now.Sub(p.Ended) > freshFor
		return err
	})
	return is, err
}

// placeOf returns the place of another view's message; the zero value if Slack has refused it for good.
func (in *Surface) placeOf(ctx context.Context, address string) (at slack.Place, err error) {
	var v store.View
	err = in.Store.View(ctx, func(tx *store.Tx) error {
		v, err = tx.Views.ViewBySurface(address)
		return err
	})
	channel, ts, is := strings.Cut(v.RemoteID, "/")
	switch {
	case err == nil && v.RefusedBySlack() && v.Shown == v.Wanted:
		return slack.Place{}, nil
	case err == nil && !is:
		err = fmt.Errorf("find the thread of %s: it has not begun", address)
	}
	return slack.Place{Channel: channel, TS: ts}, err
}

func (v slackView) message() slack.Message {
	m := slack.Message{Text: v.Text, Broadcast: v.Loud, Parts: []slack.Part{{Text: v.Body, Small: v.Small}}}
	if v.To != "" {
		m.Parts[0].Small += ". /waybill dms off ends these messages"
	}
	var buttons []slack.Button
	for _, b := range v.Buttons {
		buttons = append(buttons, slack.Button{
			Action: string(b.Verb), Words: b.Words, Value: pressedOf(v.Pipeline, b.Seen), Ask: b.Ask, Style: slackStyles[b.Verb],
		})
	}
	if len(buttons) > 0 {
		m.Parts = append(m.Parts, slack.Part{Buttons: buttons})
	}
	return m
}

var slackStyles = map[promotion.CommandVerb]string{
	promotion.CmdApprove: "primary", promotion.CmdDeny: "danger", promotion.CmdRollback: "danger",
	promotion.CmdCancel: "danger",
}
