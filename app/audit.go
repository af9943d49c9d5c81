package app

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"waybill/store"
)

// checkedLines is how many lines of the audit trail are checked at the start. All of them are checked by a command.
const checkedLines = 1000

// checkTrail logs where the audit trail ends, so that the log can bear witness to it later, and whether its last lines
// are what was written. A trail that somebody has changed stops nobody: it is an error for a person to look at.
func (a *App) checkTrail(ctx context.Context) error {
	var ends store.TrailEnds
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		if ends, err = tx.Audit.TrailEnds(); err != nil {
			return err
		}
		_, err = tx.Audit.CheckTrail(max(0, ends.Seq-checkedLines))
		return err
	})
	log := zerolog.Ctx(ctx)
	var bad *store.BadLine
	switch {
	case errors.As(err, &bad):
		log.Error().Err(bad).Msg("the audit trail is not what was written: run waybill export --verify, and compare it with an archive")
	case err != nil:
		return err
	}
	log.Info().Int64("line", ends.Seq).Str("hash", ends.Hash).Msg("audit trail")
	return nil
}
