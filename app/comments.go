package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"

	"github.com/rs/zerolog"
)

// commented takes what a person has just written below a pull request for commands, if it says any.
func (a *App) commented(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.Comment == nil {
		return nil, nil
	}
	var commands []promotion.Command
	for _, line := range handlers.Lines(f.Comment.Text) {
		if c, is := command.ParseLine(line); is && (f.Comment.ID != 0 || command.GivenBy(c.Verb, command.InReview)) {
			commands = append(commands, c)
		}
	}
	rec, err := a.ask(ctx, request{
		Repo: f.Repo, Commands: command.Together(commands), By: f.Comment.By, At: f.Comment.At,
		Surface:  pullSurface{Repo: f.Repo, Number: f.Comment.Number, Comment: f.Comment.ID}.String(),
		PullRepo: f.Repo, Pull: f.Comment.Number, Typed: fingerprint(f.Comment.Text),
	})
	if rec != nil && err == nil && f.Comment.ID != 0 {
		a.acknowledge(ctx, f)
	}
	return rec, err
}

// acknowledge shows at once that a comment has been read. It is decoration: nothing depends on it.
func (a *App) acknowledge(ctx context.Context, f *handlers.Facts) {
	where, err := a.hub.Installation(f.Installation, f.Repo)
	if err == nil {
		err = where.React(ctx, f.Comment.ID, "eyes")
	}
	if err != nil {
		zerolog.Ctx(ctx).Info().Err(err).Msg("no reaction")
	}
}

// fingerprint tells later whether a text is the one that was typed, without keeping it.
func fingerprint(typed string) string {
	sum := sha256.Sum256([]byte(typed))
	return hex.EncodeToString(sum[:])
}
