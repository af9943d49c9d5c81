package app

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

const (
	// checkedLines is how many lines of the audit trail are checked at the start. All of them are checked by a command.
	checkedLines = 1000
	// noteEvery is how long the end of a chain may be known to nothing but itself.
	noteEvery = 24 * time.Hour
	// chainsAtOnce is how many chains are noted in one transaction.
	chainsAtOnce = 100
)

// checkTrail checks the last lines of the audit trail. A trail that was changed stops nothing: it is an error for a
// person to look at.
func (a *App) checkTrail(ctx context.Context) error {
	err := a.store.View(ctx, func(tx *store.Tx) error { return tx.Audit.CheckEnds(checkedLines) })
	var bad *store.BadLine
	switch {
	case errors.As(err, &bad):
		zerolog.Ctx(ctx).Error().Err(err).
			Msg("the audit trail is not what was written: run waybill export --verify, and compare it with an archive")
	case err != nil:
		return err
	}
	return a.logEnd(ctx)
}

// logEnd logs where the server's chain ends, so that the log can bear witness later to it and to all that it names.
func (a *App) logEnd(ctx context.Context) error {
	return a.store.View(ctx, func(tx *store.Tx) error {
		c, err := tx.Audit.Chain(store.ServerChain)
		if err == nil {
			zerolog.Ctx(ctx).Info().Int64("line", c.Seq).Str("hash", c.Hash).Msg("audit trail")
		}
		return err
	})
}

// auditNext notes the ends of the chains when it is time to.
func (a *App) auditNext(ctx context.Context) (did bool, next time.Time, err error) {
	return a.onTime(ctx, store.ClockAudit, store.Claim{Lease: longLease}, func(ctx context.Context, c *store.Clock) error {
		return a.every(ctx, c, noteEvery, a.noteChains)
	})
}

// noteChains has the server's chain name the ends of the chains that have grown.
func (a *App) noteChains(ctx context.Context) error {
	for n := chainsAtOnce; n == chainsAtOnce; {
		err := a.store.Update(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.Audit.NoteChains(chainsAtOnce)
			return err
		})
		if err != nil {
			return err
		}
	}
	return a.logEnd(ctx)
}
