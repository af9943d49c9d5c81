package inapi

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"waybill/app/api"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
	"waybill/store"
)

const (
	// sourceAPI is the Source of commands that are given over the HTTP API.
	sourceAPI = "api"
	// addressAPI begins the address of their answers; the delivery's GUID follows.
	addressAPI = "api:"
)

// typed is a command over the API as the inbox keeps it.
type typed struct {
	By   promotion.Actor
	Text string
}

// Command gives a command in a person's name, through the inbox like all deliveries, and waits for its answer. The same
// key is the same command, however often it comes. It returns api.ErrOtherCommand if the key was used for another
// command, and api.Unanswered if the answer takes too long.
func (s *Surface) Command(
	ctx context.Context, row store.PipelineRow, by promotion.Actor, text, key string,
) (api.Answer, error) {
	body, err := json.Marshal(typed{by, text})
	if err != nil {
		return api.Answer{}, err
	}
	d := handlers.Delivery{
		Source: sourceAPI, GUID: key, Event: "command", Repo: row.Repo, Installation: row.Installation, Body: body,
		Received: s.Clock(),
	}
	if _, err := s.inbox.Accept(ctx, d); errors.Is(err, handlers.ErrAltered) {
		return api.Answer{}, api.ErrOtherCommand
	} else if err != nil {
		return api.Answer{}, err
	}
	return s.answered(ctx, addressAPI+key)
}

// Identify returns the request of a typed command. The API has refused texts that are no command.
func (s *Surface) Identify(_ context.Context, d surface.Delivery) (surface.Input, error) {
	var t typed
	if err := json.Unmarshal(d.Body, &t); err != nil {
		return surface.Input{}, err
	}
	c, _ := command.ParseCommand(t.Text)
	return surface.InputOf(surface.Request{
		Repo: d.Repo, Commands: []promotion.Command{c}, By: t.By, At: d.Received, Heard: true, Act: "api/" + d.GUID,
		Surface: addressAPI + d.GUID, Typed: surface.Fingerprint(t.Text),
	}), nil
}

// Reply stores the answer for the request that waits for it, and reports on the pull request a command that was carried
// out.
func (s *Surface) Reply(ctx context.Context, a *surface.Answer) (work.Record, error) {
	var r promotion.Request
	err := s.Store.View(ctx, func(tx *store.Tx) (err error) {
		r, _, err = tx.Requests.ByID(a.Pipeline, a.Request)
		return err
	})
	if err != nil {
		return nil, err
	}
	if a.Result == "" {
		said, err := said(ctx, a, r)
		if err == nil {
			err = s.Store.Update(ctx, func(tx *store.Tx) error { return tx.Outbox.NoteResult(a.Effect, said) })
		}
		if err != nil {
			return nil, err
		}
	}
	a.Said = a.Result
	return nil, a.Mirror(ctx, r, "the API")
}

// said returns the answer to a command, as it is kept for whoever asked.
func said(ctx context.Context, a *surface.Answer, r promotion.Request) (text string, err error) {
	report := say.Report{}
	if !a.Reports(r) {
		report.Title = a.Refusal(r).Words()
	} else if report, err = a.Report(ctx, r); err != nil {
		return "", err
	}
	kept, err := json.Marshal(api.AnswerOf(a.Outcome, report))
	return string(kept), err
}

const (
	// answerTimeout is how long a command over the API waits for its answer.
	answerTimeout = 10 * time.Second
	// answerPoll is how often the API looks for the answer.
	answerPoll = 20 * time.Millisecond
)

// answered waits for the answer at an address.
func (s *Surface) answered(ctx context.Context, address string) (answer api.Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	for {
		var said string
		err := s.Store.View(ctx, func(tx *store.Tx) (err error) {
			said, err = tx.Requests.Said(address)
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
		if work.Sleep(ctx, nil, answerPoll); ctx.Err() != nil {
			return api.Unanswered, nil
		}
	}
}
