package ongithub

import (
	"context"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"
)

// approved returns the sign-off of a review that approves a promotion's pull request (semantics 4.4). It counts for the
// reviewed commit only. It gets no answer; the promotion shows the result. A review that asks for changes takes back
// what the person has signed off, of whichever commit.
func (g *Surface) approved(ctx context.Context, from *handlers.From, e *handlers.Approval) (surface.Input, error) {
	c := promotion.Command{Verb: promotion.CmdApprove, Plan: string(e.SHA)}
	if e.Against {
		c = promotion.Command{Verb: promotion.CmdApprove, Withdraw: true}
	}
	var key store.StageKey
	err := g.Store.View(ctx, func(tx *store.Tx) (err error) {
		key, err = tx.Attempts.StageShowing(from.Repo, e.Number, promotion.SHA(c.Plan))
		return err
	})
	if err != nil || key.Stage == "" {
		return surface.Input{}, err
	}
	c.Stage = key.Stage
	return surface.InputOf(surface.Request{
		Pipeline: key.Pipeline, Repo: from.Repo, Commands: []promotion.Command{c},
		By: e.By, At: e.At, Act: surface.ReviewAct(e.ID),
		PullRepo: from.Repo, Pull: e.Number,
	}), nil
}

// commented returns the commands that a person has just written below a pull request, or in a review of it.
func (g *Surface) commented(from *handlers.From, e *handlers.Comment) surface.Input {
	var commands []promotion.Command
	for _, line := range handlers.Lines(e.Text) {
		if c, is := command.ParseLine(line); is && (e.ID != 0 || command.GivenBy(c.Verb, command.InReview)) {
			commands = append(commands, c)
		}
	}
	input := surface.InputOf(surface.Request{
		Repo: from.Repo, Commands: command.Together(commands), By: e.By, At: e.At,
		Act: surface.CommentAct(e.ID), Comment: e.ID != 0,
		Surface:  surface.PullAddress{Repo: from.Repo, Number: e.Number, Comment: e.ID}.String(),
		PullRepo: from.Repo, Pull: e.Number, Unmerged: e.Unmerged, Typed: surface.Fingerprint(e.Text),
	})
	if e.ID == 0 {
		input.Requests[0].Act = surface.ReviewAct(e.Review)
	}
	if e.ID != 0 {
		input.After = func(ctx context.Context, recorded bool) {
			if recorded {
				g.acknowledge(ctx, from, e)
			}
		}
	}
	return input
}

// acknowledge adds a reaction to a comment that has been read, if whoever wrote it may write here. Nothing depends on
// it.
func (g *Surface) acknowledge(ctx context.Context, from *handlers.From, e *handlers.Comment) {
	may := false
	err := g.Store.View(ctx, func(tx *store.Tx) error {
		comment := surface.PullAddress{Repo: from.Repo, Number: e.Number, Comment: e.ID}
		pipeline, r, err := tx.Requests.AskedOn(comment.String())
		if err == nil && r.Permission >= promotion.Write {
			may, err = g.MayReact(tx, pipeline, r)
		}
		return err
	})
	var where *gh.Client
	if err == nil && may {
		where, err = g.Hub.Installation(from.Installation, from.Repo)
	}
	if err == nil && may {
		err = where.Comments.React(ctx, e.ID, "eyes")
	}
	if err != nil {
		zerolog.Ctx(ctx).Info().Err(err).Msg("no reaction")
	}
}
