package app

import (
	"context"
	"strings"
	"waybill/app/gh"
	"waybill/app/slack"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
	"waybill/store"
)

// slackSurface is a place in Slack where something was asked and is answered: a thread, or a person in a channel.
type slackSurface struct {
	Channel  string // empty: the App Home of the person
	Thread   string
	User     string // whom alone the answer is for; empty: everybody in the thread
	Delivery string // what they did: it says by which address they are answered
}

// String returns the surface as it is stored.
func (s slackSurface) String() string {
	return strings.Join([]string{"slack:" + s.Channel, s.Thread, s.User, s.Delivery}, "/")
}

// parseSlackSurface reads what String wrote.
func parseSlackSurface(text string) (slackSurface, bool) {
	rest, is := strings.CutPrefix(text, "slack:")
	parts := strings.SplitN(rest, "/", 4)
	if !is || len(parts) != 4 {
		return slackSurface{}, false
	}
	return slackSurface{parts[0], parts[1], parts[2], parts[3]}, true
}

// replyInSlack answers a command where it was given, and tells on the pull request what was done.
func (a *App) replyInSlack(ctx context.Context, j *job, to slackSurface) error {
	var r promotion.Request
	var d store.Delivery
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		if r, _, err = tx.Ledger.Request(j.Pipeline, j.Request); err == nil && to.User != "" {
			d, err = tx.Inbox.Delivery(handlers.SourceSlack + ":" + to.Delivery)
		}
		return err
	})
	if err != nil || a.slack == nil {
		return err
	}
	if err := a.mirror(ctx, j, r, "Slack"); err != nil {
		return err
	}
	m, err := a.slackAnswer(ctx, j, r)
	switch {
	case err != nil:
		return err
	case to.User == "":
		_, err = a.slack.Post(ctx, slack.Place{Channel: to.Channel, TS: to.Thread}, m)
		return err
	}
	act, err := handlers.DecodeSlack(d.Event, d.Body)
	if err != nil {
		return err
	}
	if act.Channel != "" {
		return a.slack.Respond(ctx, act.ReplyTo, m)
	}
	u, _, err := a.inSlack(ctx, act)
	if err != nil {
		return err
	}
	return a.showHome(ctx, u, m.Parts...)
}

func (a *App) slackAnswer(ctx context.Context, j *job, r promotion.Request) (slack.Message, error) {
	if !command.IsQuestion(r.Command.Verb) || j.Outcome != string(promotion.Done) {
		text := say.ReplySlack(j.Outcome, j.Reason)
		return slack.Message{Text: text, Parts: []slack.Part{{Text: text}}}, nil
	}
	report, err := a.report(ctx, j, r)
	m := slack.Message{Text: say.Mrkdwn(report.Title)}
	for _, text := range report.Mrkdwn() {
		m.Parts = append(m.Parts, slack.Part{Text: text})
	}
	return m, err
}

// mirror tells on the freight's pull request what was asked for elsewhere and done: whoever looks there should not
// wonder.
func (a *App) mirror(ctx context.Context, j *job, r promotion.Request, where string) error {
	if command.IsQuestion(r.Command.Verb) || j.Outcome != string(promotion.Done) || j.freight.Pull == 0 {
		return nil
	}
	source, err := a.client(j.freight.Repo)
	if err != nil {
		return err
	}
	_, err = source.Comment(ctx, gh.Comment{Issue: j.freight.Pull, Marker: mark(j), Body: say.Via(where, r.Command, r.By)})
	return err
}
