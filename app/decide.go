package app

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"waybill/promotion"
	"waybill/store"
)

// decideNext decides one stage that has something new to look at. Snapshot, decision and everything that it writes belong
// to one transaction.
func (a *App) decideNext(ctx context.Context) (did bool, next time.Time, err error) {
	var d promotion.Decision
	var undecided store.StageKey
	var failed error
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		did = false
		key, wake, err := tx.Ledger.NextUndecided(a.last.stage)
		if err != nil || key.Stage == "" {
			next = wake
			return err
		}
		did, undecided, a.last.stage = true, key, key
		failed = a.contained(ctx, inStage, func() (err error) {
			d, err = a.decide(tx, key)
			return err
		})
		return failed
	})
	if failed != nil { // one stage must not keep the others from being decided
		zerolog.Ctx(ctx).Error().Err(failed).Str(keyStage, string(undecided.Stage)).Msg("stage is left for later")
		return true, time.Time{}, a.store.Update(ctx, func(tx *store.Tx) error {
			return tx.Ledger.Postpone(undecided, tx.Now.Add(leftForLater))
		})
	}
	if err != nil {
		return false, time.Time{}, err
	}
	if did {
		a.after(ctx, d)
	}
	return did, next, nil
}

// leftForLater is when a stage is tried again that could not be decided.
const leftForLater = time.Minute

// decide decides one stage inside a transaction.
func (a *App) decide(tx *store.Tx, key store.StageKey) (promotion.Decision, error) {
	row, err := tx.Ledger.Pipeline(key.Pipeline)
	if err != nil {
		return promotion.Decision{}, err
	}
	p, err := a.pipelines.compiled(row)
	if err != nil {
		return promotion.Decision{}, err
	}
	s, err := tx.Ledger.Snapshot(p, key)
	if err != nil {
		return promotion.Decision{}, err
	}
	d := promotion.Decide(s, tx.Now)
	if err := tx.Ledger.Apply(key, s, d); err != nil {
		return d, err
	}
	if err := askForImages(tx, row, s); err != nil {
		return d, err
	}
	if d.Moves() {
		return d, nil // what is under way will have the stage decided again
	}
	if err := a.wantInSlack(tx, p, key); err != nil {
		return d, err
	}
	return d, a.showFreight(tx, p, key)
}

// after tells the other workers, and the log, what has been decided.
func (a *App) after(ctx context.Context, d promotion.Decision) {
	log := zerolog.Ctx(ctx)
	for _, e := range d.Log {
		log.Info().Str(keyStage, string(e.Stage)).Int64(keyPromotion, int64(e.Promotion)).
			Str("state", string(e.State)).Str("event", string(e.Event)).Str("because", e.Reason.String()).Msg("decided")
	}
	if len(d.Effects)+len(d.Wanted) > 0 {
		a.due.ring()
	}
	if d.Ripples {
		a.undecided.ring()
	}
	a.shown.ring()
}

// The keys of log fields, the same everywhere.
const (
	keyRepo      = "repo"
	keyStage     = "stage"
	keyPromotion = "promotion"
	keyDelivery  = "delivery"
	keyEffect    = "effect"
	keyRequest   = "request"
)
