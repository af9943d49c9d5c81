package loop

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/env"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/gate"
	"waybill/store"
)

// Loop decides stages, and does work at intervals.
type Loop struct {
	*env.Env
	surfaces   surface.Surfaces
	SignIn     signIn
	Reach      reach
	underWay   atomic.Int64 // pieces of work that have been taken and not ended
	ended      atomic.Int64 // pieces of work that have ended
	gates      gates
	forgetting forgetting
	usual      decisions // about stages that no process has died of, or one
	suspect    decisions // about the others
}

// New returns a Loop. keep is how long old rows are kept.
func New(e *env.Env, s surface.Surfaces, keep store.Retention) *Loop {
	return &Loop{
		Env: e, surfaces: s, gates: gates{unset: map[int64]error{}}, forgetting: forgetting{keep: keep},
		usual: newDecisions(), suspect: newDecisions(),
	}
}

// decisions are made one after the other.
type decisions struct {
	last     store.StageKey          // behind which the next is looked for
	survived map[store.StageKey]bool // those that were decided since the start
}

func newDecisions() decisions { return decisions{survived: map[store.StageKey]bool{}} }

// DecideNext takes a stage that has changed and decides it. A stage that cannot be decided is postponed, so that it
// does not block the others.
func (l *Loop) DecideNext(ctx context.Context, c store.Claim) (do work.Piece, next time.Time, err error) {
	of := &l.usual
	if c.Suspects {
		of = &l.suspect
	}
	key, next, err := l.Store.NextUndecided(ctx, of.last, c.Suspects)
	if err != nil || key.Stage == "" {
		return nil, next, err
	}
	of.last = key
	return work.Nothing, time.Time{}, l.decideOne(ctx, of, key)
}

// decideOne decides a stage, unless it is parked.
func (l *Loop) decideOne(ctx context.Context, of *decisions, key store.StageKey) error {
	ctx, began := l.InPipeline(ctx, key.Pipeline), l.Clock()
	if may, err := l.begin(ctx, of, key); err != nil || !may {
		return err
	}
	var d promotion.Decision
	failed := l.Contain(ctx, work.InStage, func() (err error) {
		d, err = l.decide(ctx, key)
		return err
	})
	l.Metrics.Decided(l.Pipelines.Home(key.Pipeline), d, l.Clock().Sub(began), failed)
	if failed != nil {
		zerolog.Ctx(ctx).Error().Err(failed).Str(work.KeyStage, string(key.Stage)).Msg("stage is left for later")
		err := l.Store.Update(ctx, func(tx *store.Tx) error {
			return tx.Stages.Postpone(key, tx.Now.Add(retryDelay))
		})
		return errors.Join(err, l.end(ctx, of, key))
	}
	l.after(ctx, d)
	return l.end(ctx, of, key)
}

// begin notes that a stage is about to be decided for the first time since the start, in case the process dies of it.
// It reports whether the stage may be decided now.
func (l *Loop) begin(ctx context.Context, of *decisions, key store.StageKey) (may bool, err error) {
	if of.survived[key] {
		return true, nil
	}
	parked := false
	err = l.Store.Update(ctx, func(tx *store.Tx) error {
		may, parked, err = tx.Stages.BeginDecision(key)
		return err
	})
	if parked {
		zerolog.Ctx(ctx).Error().Err(work.ErrDeadly).Str(work.KeyStage, string(key.Stage)).
			Msg("a stage could not be decided: it is left alone for an hour")
	}
	return may, err
}

// end notes that the process has survived the first decision about a stage.
func (l *Loop) end(ctx context.Context, of *decisions, key store.StageKey) error {
	if of.survived[key] {
		return nil
	}
	err := l.Store.Update(ctx, func(tx *store.Tx) error { return tx.Stages.EndDecision(key) })
	if err == nil {
		of.survived[key] = true
	}
	return err
}

// retryDelay is when a stage that could not be decided is tried again.
const retryDelay = time.Minute

// maxConflicts is how many decisions may fail because the stage has changed meanwhile, before the stage is locked.
const maxConflicts = 3

// decide decides a stage: it reads the basis of the decision in one transaction and writes the decision in another. If
// the stage changes between the two, it is decided anew.
func (l *Loop) decide(ctx context.Context, key store.StageKey) (d promotion.Decision, err error) {
	for range maxConflicts {
		var c input
		if err := l.Store.View(ctx, func(tx *store.Tx) error { return l.read(tx, key, &c) }); err != nil {
			return d, err
		}
		d = decide.Decide(c.Snapshot, c.now)
		err := l.Store.Update(ctx, func(tx *store.Tx) error { return l.apply(tx, &c, d) })
		if !errors.Is(err, store.ErrConflict) {
			return d, err
		}
	}
	err = l.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Ledger.Lock(key); err != nil {
			return err
		}
		var c input
		if err := l.read(tx, key, &c); err != nil {
			return err
		}
		d = decide.Decide(c.Snapshot, c.now)
		return l.apply(tx, &c, d)
	})
	return d, err
}

// input is the input of a decision.
type input struct {
	store.Basis
	now time.Time
	row store.PipelineRow
}

// read reads the basis of a decision.
func (l *Loop) read(tx *store.Tx, key store.StageKey, c *input) (err error) {
	c.now = tx.Now
	c.Basis, err = tx.Ledger.BasisBy(key, func(row store.PipelineRow) (*promotion.Pipeline, error) {
		c.row = row
		return l.Pipelines.Compiled(row)
	})
	return err
}

// apply writes a decision. A decision without changes means that the stage has come to rest; then its views are written
// by the same snapshot.
func (l *Loop) apply(tx *store.Tx, c *input, d promotion.Decision) error {
	if err := tx.Ledger.Apply(c.Basis, d); err != nil {
		return err
	}
	if err := l.askForImages(tx, c.row, c.Snapshot); err != nil {
		return err
	}
	if d.Moves() && len(c.Rejections) == 0 {
		return nil // work under way has the stage decided again
	}
	if !d.Nothing() {
		return tx.Stages.Touch(c.Key)
	}
	return work.RecordAll(l.surfaces, func(s surface.Surface) error { return s.Want(tx, c.Key, c.Snapshot) })
}

// after logs a decision and wakes the other workers.
func (l *Loop) after(ctx context.Context, d promotion.Decision) {
	log := zerolog.Ctx(ctx)
	for _, e := range d.Log {
		log.Info().Str(work.KeyStage, string(e.Stage)).Int64(work.KeyPromotion, int64(e.Promotion)).
			Str("state", string(e.State)).Str("event", string(e.Event)).Str("because", e.Reason.String()).Msg("decided")
	}
	l.Due.Notify() // also for the effects of another stage whose turn it is now
	if d.Ripples {
		l.Undecided.Notify()
	}
	l.Shown.Notify()
	l.Overdue.Notify()
}

// askForImages has GitHub asked once for the images of freight that is late, before people conclude that there are
// none. It is late by our clock, as everything that waits, and a resync is dated by GitHub's.
func (l *Loop) askForImages(tx *store.Tx, row store.PipelineRow, s *promotion.Snapshot) error {
	late := gate.KeeperOf(s, tx.Now).Overdue()
	if row.ResyncFailures > 0 || late.IsZero() || !late.After(row.Resynced.Add(l.Clock().Sub(l.Hub.Time()))) {
		return nil
	}
	return tx.Clocks.AskResync(row.ID)
}
