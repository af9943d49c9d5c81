package app

import (
	"context"
	"encoding/json"
	"errors"
	"time"
	"waybill/app/api"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
	"waybill/store"

	"github.com/rs/zerolog"
)

const (
	// sourceAPI is the Source of deliveries that are commands given over the HTTP API.
	sourceAPI = "api"
	// apiSurface begins the surface of what was asked there; the delivery's GUID follows.
	apiSurface = "api:"
)

// typed is a command over the API as the inbox keeps it.
type typed struct {
	By   promotion.Actor
	Text string
}

// Command gives a command in a person's name, through the inbox and the one door like everything that comes from
// outside, and waits for its answer. The same key asks for the same once, whenever it comes again.
func (b adapter) Command(ctx context.Context, row store.PipelineRow, by promotion.Actor, text, key string) (api.Answer, error) {
	body, err := json.Marshal(typed{by, text})
	if err != nil {
		return api.Answer{}, err
	}
	d := handlers.Delivery{
		Source: sourceAPI, GUID: key, Event: "command", Repo: row.Repo, Installation: row.Installation, Body: body, Received: b.a.clock(),
	}
	if _, err := (inbox{b.a}).Accept(ctx, d); errors.Is(err, handlers.ErrAltered) {
		return api.Answer{}, api.ErrOtherCommand
	} else if err != nil {
		return api.Answer{}, err
	}
	return b.a.answered(ctx, apiSurface+key)
}

// understandAPI takes what was typed for a command. The API has refused what is none.
func (a *App) understandAPI(ctx context.Context, d *store.Delivery) (record, error) {
	var t typed
	if err := json.Unmarshal(d.Body, &t); err != nil {
		return nil, err
	}
	c, _ := command.ParseCommand(t.Text)
	return a.ask(ctx, request{
		Repo: d.Repo, Commands: []promotion.Command{c}, By: t.By, At: d.Received, Surface: apiSurface + d.GUID, Typed: fingerprint(t.Text),
	})
}

// replyOverAPI leaves the answer where whoever asked looks for it, and tells on the pull request what was done.
func (a *App) replyOverAPI(ctx context.Context, j *job) error {
	var r promotion.Request
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		r, _, err = tx.Ledger.Request(j.Pipeline, j.Request)
		return err
	})
	if err != nil {
		return err
	}
	if err := a.mirror(ctx, j, r, "the API"); transient(err) {
		return err
	} else if err != nil {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("not told on the pull request") // whoever asked has a right to the answer
	}
	report := say.Report{Title: say.ReplyWords(j.Outcome, j.Reason)}
	if command.IsQuestion(r.Command.Verb) && j.Outcome == string(promotion.Done) {
		if report, err = a.report(ctx, j, r); err != nil {
			return err
		}
	}
	said, err := json.Marshal(api.AnswerOf(j.Outcome, report))
	j.said = string(said)
	return err
}

const (
	// apiPatience is how long a command over the API waits for its answer.
	apiPatience = 10 * time.Second
	// apiLook is how often it looks whether the answer is there.
	apiLook = 20 * time.Millisecond
)

// answered waits for the answer to what was asked on a surface of the API.
func (a *App) answered(ctx context.Context, surface string) (answer api.Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, apiPatience)
	defer cancel()
	for {
		var said string
		err := a.store.View(ctx, func(tx *store.Tx) (err error) {
			said, err = tx.Ledger.Said(surface)
			return err
		})
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return api.Unanswered, nil
		case err != nil:
			return api.Answer{}, err
		case said != "":
			return answer, json.Unmarshal([]byte(said), &answer)
		}
		if sleep(ctx, nil, apiLook); ctx.Err() != nil {
			return api.Unanswered, nil
		}
	}
}
