package inslack

import (
	"context"
	"strings"

	"waybill/app/slack"
	"waybill/app/surface"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// place is an address of answers in Slack: a thread, or a person in a channel.
type place struct {
	Channel  string // empty: the App Home of the person
	Thread   string
	User     string // the only reader of the answer; empty: all in the thread
	Delivery string // their act, which has the URL for the answer
}

// String returns the address as the database keeps it.
func (s place) String() string {
	return strings.Join([]string{"slack:" + s.Channel, s.Thread, s.User, s.Delivery}, "/")
}

// parsePlace reads the text that String returns.
func parsePlace(text string) (place, bool) {
	rest, is := strings.CutPrefix(text, "slack:")
	parts := strings.SplitN(rest, "/", 4)
	if !is || len(parts) != 4 {
		return place{}, false
	}
	return place{parts[0], parts[1], parts[2], parts[3]}, true
}

// answered is the result of an answer that was given, and is told on the pull request only when it is tried again.
const answered = "answered"

// replyTo answers a command where it was given, and then reports on the pull request a command that was carried out:
// who asked does not wait for GitHub.
func (in *Surface) replyTo(ctx context.Context, a *surface.Answer, to place) error {
	var r promotion.Request
	err := in.Store.View(ctx, func(tx *store.Tx) (err error) {
		r, _, err = tx.Requests.ByID(a.Pipeline, a.Request)
		return err
	})
	if err != nil || in.slack == nil {
		return err
	}
	if a.Result != answered {
		if err := in.answer(ctx, a, r, to); err != nil {
			return err
		}
		err := in.Store.Update(ctx, func(tx *store.Tx) error { return tx.Outbox.NoteResult(a.Effect, answered) })
		if err != nil {
			return err
		}
	}
	return a.Mirror(ctx, r, "Slack")
}

// answer answers a command where it was given.
func (in *Surface) answer(ctx context.Context, a *surface.Answer, r promotion.Request, to place) error {
	if !in.mayAnswer(a, r, to) {
		return nil
	}
	m, err := in.slackAnswer(ctx, a, r)
	switch {
	case err != nil:
		return err
	case to.User == "":
		_, err = in.slack.Post(ctx, slack.Place{Channel: to.Channel, TS: to.Thread}, m)
		return err
	}
	var d store.Delivery
	err = in.Store.View(ctx, func(tx *store.Tx) (err error) {
		d, err = tx.Inbox.Delivery(handlers.SourceSlack + ":" + to.Delivery)
		return err
	})
	if err != nil {
		return err
	}
	act, err := handlers.DecodeSlack(d.Event, d.Body)
	if err != nil {
		return err
	}
	if act.Channel != "" {
		return in.slack.Respond(ctx, act.ReplyTo, m)
	}
	u, _, err := in.sender(ctx, act)
	if err != nil {
		return err
	}
	return in.showHome(ctx, u, m.Parts...)
}

func (in *Surface) slackAnswer(ctx context.Context, a *surface.Answer, r promotion.Request) (slack.Message, error) {
	if !a.Reports(r) {
		text := a.Refusal(r).Mrkdwn()
		return slack.Message{Text: text, Parts: []slack.Part{{Text: text}}}, nil
	}
	report, err := a.Report(ctx, r)
	m := slack.Message{Text: say.Mrkdwn(report.Title)}
	for _, text := range report.Mrkdwn() {
		m.Parts = append(m.Parts, slack.Part{Text: text})
	}
	return m, err
}
