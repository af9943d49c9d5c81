package loop

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/work"
	"waybill/store"
)

const (
	// checkedLines is how many lines of the audit trail are checked at the start. waybill export --verify checks all.
	checkedLines = 1000
	// noteEvery is how long the end of a chain may stand in no other chain.
	noteEvery = 24 * time.Hour
	// chainsAtOnce is how many chains are noted in one transaction.
	chainsAtOnce = 100
)

// CheckTrail checks the last lines of the audit trail. A changed trail stops nothing; it is logged as an error for a
// person.
func (l *Loop) CheckTrail(ctx context.Context) error {
	err := l.Store.View(ctx, func(tx *store.Tx) error { return tx.Audit.CheckEnds(checkedLines) })
	var bad *store.BadLine
	switch {
	case errors.As(err, &bad):
		zerolog.Ctx(ctx).Error().Err(err).
			Msg("the audit trail is not what was written: run waybill export --verify, and compare it with an archive")
	case err != nil:
		return err
	}
	return l.logEnd(ctx)
}

// logEnd logs the end of the server's chain, so that the log can later confirm it and all chains that it names.
func (l *Loop) logEnd(ctx context.Context) error {
	return l.Store.View(ctx, func(tx *store.Tx) error {
		c, err := tx.Audit.Chain(store.ServerChain)
		if err == nil {
			zerolog.Ctx(ctx).Info().Int64("line", c.Seq).Str("hash", c.Hash).Msg("audit trail")
		}
		return err
	})
}

// TakeAudit takes the work of noting the ends of the chains, if that is due.
func (l *Loop) TakeAudit(ctx context.Context, c store.Claim) (do work.Piece, next time.Time, err error) {
	return l.TakeOnTime(ctx, store.ClockAudit, c.For(work.LongLease), func(ctx context.Context, c *store.Clock) error {
		return l.Every(ctx, c, noteEvery, l.noteChains)
	})
}

// noteChains writes the ends of the chains that have grown into the server's chain.
func (l *Loop) noteChains(ctx context.Context) error {
	for n := chainsAtOnce; n == chainsAtOnce; {
		err := l.Store.Update(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.Audit.NoteChains(chainsAtOnce)
			return err
		})
		if err != nil {
			return err
		}
	}
	return l.logEnd(ctx)
}
