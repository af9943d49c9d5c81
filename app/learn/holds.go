package learn

import (
	"context"
	"errors"
	"time"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"
)

// AskHolds records the holds that people have given or lifted in comments of a repository.
func (q *Requests) AskHolds(ctx context.Context, repo promotion.Repo, said []gh.Said) (work.Record, error) {
	var all []work.Record
	for _, s := range said {
		rec, err := q.Ask(ctx, surface.Request{
			Repo: repo, Commands: holdsIn(s.Text), By: s.By, At: s.At,
			Surface:  surface.PullAddress{Repo: repo, Number: s.Pull, Comment: s.ID}.String(),
			PullRepo: repo, Pull: s.Pull, Typed: surface.Fingerprint(s.Text), Act: surface.CommentAct(s.ID), Found: true,
		})
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}

// holdsIn returns the commands of a comment that hold something, or end that.
func holdsIn(text string) []promotion.Command {
	var all []promotion.Command
	for _, line := range handlers.Lines(text) {
		if c, is := command.ParseLine(line); is && holds(c) {
			all = append(all, c)
		}
	}
	return command.Together(all)
}

// holds reports whether a command holds something, or ends that.
func holds(c promotion.Command) bool {
	return c.Verb == promotion.CmdHold || c.Verb == promotion.CmdUnhold
}

// foundAgain reports whether the resync of a stale pipeline asks GitHub for a command (semantics 6.8).
func foundAgain(w surface.Request, c promotion.Command) bool {
	return holds(c) && (w.Comment || w.Found)
}

// passes reports whether GitHub may say later what it does not say now.
func passes(err error) bool {
	return work.Transient(err) || errors.Is(err, gh.ErrPassing) || errors.Is(err, gh.ErrNoAccess)
}

// newest is how old a comment may be which the next resync finds in any case, whenever the one before it was.
const newest = 10 * time.Minute

// askLater leaves a hold in a comment to the resync, if GitHub does not say now who may give it. Nothing is decided
// before. The resync itself is tried again, and so is a delivery of a comment that no resync finds any more.
func (q *Requests) askLater(row store.PipelineRow, w surface.Request, why error) (work.Record, error) {
	if w.Found || q.Clock().Sub(w.At) > newest {
		return nil, why
	}
	return func(tx *store.Tx) error { return tx.Recovery.MarkStale(row.ID) }, nil
}
