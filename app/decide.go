package app

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"
)

// decideNext decides one stage that has something new to look at. A stage that cannot be decided is left for later, so
// that it does not keep the others from being decided.
func (a *App) decideNext(ctx context.Context) (did bool, next time.Time, err error) {
	var key store.StageKey
	err = a.store.View(ctx, func(tx *store.Tx) error {
		key, next, err = tx.Ledger.NextUndecided(a.decided)
		return err
	})
	if err != nil || key.Stage == "" {
		return false, next, err
	}
	a.decided = key
	var d promotion.Decision
	failed := a.contained(ctx, inStage, func() (err error) {
		d, err = a.decide(ctx, key)
		return err
	})
	if failed != nil {
		zerolog.Ctx(ctx).Error().Err(failed).Str(keyStage, string(key.Stage)).Msg("stage is left for later")
		return true, time.Time{}, a.store.Update(ctx, func(tx *store.Tx) error {
			return tx.Ledger.Postpone(key, tx.Now.Add(leftForLater))
		})
	}
	a.after(ctx, d)
	return true, time.Time{}, nil
}

// leftForLater is when a stage is tried again that could not be decided.
const leftForLater = time.Minute

// lostTries is how often a decision may be lost because its stage has changed meanwhile, before the stage is locked.
const lostTries = 3

// decide decides a stage: it reads the basis of the decision in one transaction and writes the decision in another.
// Between the two the stage may change; then it is decided anew.
func (a *App) decide(ctx context.Context, key store.StageKey) (d promotion.Decision, err error) {
	for range lostTries {
		var c cause
		if err := a.store.View(ctx, func(tx *store.Tx) error { return a.read(tx, key, &c) }); err != nil {
			return d, err
		}
		d = decide.Decide(c.Snapshot, c.now)
		err := a.store.Update(ctx, func(tx *store.Tx) error { return a.apply(tx, &c, d) })
		if !errors.Is(err, store.ErrConflict) {
			return d, err
		}
	}
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Ledger.Lock(key); err != nil {
			return err
		}
		var c cause
		if err := a.read(tx, key, &c); err != nil {
			return err
		}
		d = decide.Decide(c.Snapshot, c.now)
		return a.apply(tx, &c, d)
	})
	return d, err
}

// cause is all that a decision comes from.
type cause struct {
	store.Basis
	now      time.Time
	row      store.PipelineRow
	pipeline *promotion.Pipeline
}

// read reads the basis of a decision.
func (a *App) read(tx *store.Tx, key store.StageKey, c *cause) (err error) {
	c.now = tx.Now
	if c.row, err = tx.Ledger.Pipeline(key.Pipeline); err != nil {
		return err
	}
	if c.pipeline, err = a.pipelines.compiled(c.row); err != nil {
		return err
	}
	c.Basis, err = tx.Ledger.Basis(c.pipeline, key)
	return err
}

// apply writes a decision. Once a decision changes nothing, the stage has come to rest: then it is shown where its
// freight stands, by the same snapshot.
func (a *App) apply(tx *store.Tx, c *cause, d promotion.Decision) error {
	if err := tx.Ledger.Apply(c.Basis, d); err != nil {
		return err
	}
	if err := askForImages(tx, c.row, c.Snapshot); err != nil {
		return err
	}
	if d.Moves() {
		return nil // what is under way has the stage decided again
	}
	if !d.Nothing() {
		return tx.Ledger.Touch(c.Key)
	}
	if err := a.wantInSlack(tx, c.Key, c.Snapshot); err != nil {
		return err
	}
	return showFreight(tx, c.Key, c.Snapshot)
}

// after tells the other workers, and the log, what has been decided.
func (a *App) after(ctx context.Context, d promotion.Decision) {
	log := zerolog.Ctx(ctx)
	for _, e := range d.Log {
		log.Info().Str(keyStage, string(e.Stage)).Int64(keyPromotion, int64(e.Promotion)).
			Str("state", string(e.State)).Str("event", string(e.Event)).Str("because", e.Reason.String()).Msg("decided")
	}
	if len(d.Effects)+len(d.Wanted) > 0 {
		a.due.notify()
	}
	if d.Ripples {
		a.undecided.notify()
	}
	a.shown.notify()
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
