package ongithub

import (
	"context"

	"github.com/rs/zerolog"

	"waybill/app/surface"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"
)

// reviewed returns the commands of a comment, and of a review, which may be both a sign-off and a comment.
func (g *Surface) reviewed(ctx context.Context, f *handlers.Facts) (surface.Heard, error) {
	heard, err := g.approved(ctx, f)
	if err != nil || f.Comment == nil {
		return heard, err
	}
	heard.Requests = append(heard.Requests, commented(f))
	if f.Comment.ID != 0 {
		heard.After = func(ctx context.Context, recorded bool) {
			if recorded {
				g.acknowledge(ctx, f)
			}
		}
	}
	return heard, nil
}

// approved takes a review that approves a promotion's pull request for a sign-off (semantics 4.4). It is one of the
// commit that was reviewed: of any other it is none. Nobody is answered; the promotion shows what came of it.
func (g *Surface) approved(ctx context.Context, f *handlers.Facts) (surface.Heard, error) {
	if f.Approved == nil {
		return surface.Heard{}, nil
	}
	var key store.StageKey
	err := g.Store.View(ctx, func(tx *store.Tx) (err error) {
		key, err = tx.Ledger.StageShowing(f.Repo, f.Approved.Number, f.Approved.SHA)
		return err
	})
	if err != nil || key.Stage == "" {
		return surface.Heard{}, err
	}
	return surface.Asked(surface.Request{
		Pipeline: key.Pipeline, Repo: f.Repo, Commands: []promotion.Command{{Verb: promotion.CmdApprove, Stage: key.Stage}},
		By: f.Approved.By, At: f.Approved.At, PullRepo: f.Repo, Pull: f.Approved.Number,
	}), nil
}

// commented returns the commands that a person has just written below a pull request.
func commented(f *handlers.Facts) surface.Request {
	var commands []promotion.Command
	for _, line := range handlers.Lines(f.Comment.Text) {
		if c, is := command.ParseLine(line); is && (f.Comment.ID != 0 || command.GivenBy(c.Verb, command.InReview)) {
			commands = append(commands, c)
		}
	}
	return surface.Request{
		Repo: f.Repo, Commands: command.Together(commands), By: f.Comment.By, At: f.Comment.At,
		Surface:  surface.PullAddress{Repo: f.Repo, Number: f.Comment.Number, Comment: f.Comment.ID}.String(),
		PullRepo: f.Repo, Pull: f.Comment.Number, Typed: surface.Fingerprint(f.Comment.Text),
	}
}

// acknowledge shows that a comment has been read. It is decoration: nothing depends on it.
func (g *Surface) acknowledge(ctx context.Context, f *handlers.Facts) {
	where, err := g.Hub.Installation(f.Installation, f.Repo)
	if err == nil {
		err = where.React(ctx, f.Comment.ID, "eyes")
	}
	if err != nil {
		zerolog.Ctx(ctx).Info().Err(err).Msg("no reaction")
	}
}
