package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// job is an effect with the data that it takes to carry it out.
type job struct {
	store.Effect
	row       store.PipelineRow
	pipeline  *promotion.Pipeline
	stage     *promotion.Stage
	promotion promotion.Promotion
	attempt   promotion.Attempt
	freight   promotion.Freight
	past      bool             // the rollout has gone on since; attempt is that of the effect's own step
	files     promotion.Branch // the branch of the stage's files
	client    *gh.Client       // for their repository
	idle      bool             // there was nothing to do, or a person has done it
	said      string           // text that is stored with the effect
	givenUp   bool             // it has failed for good
}

// Executor carries out effects.
type Executor struct {
	*env.Env
	learn    *learn.Learn
	surfaces surface.Surfaces
}

// New returns an Executor. Replies go to the surfaces.
func New(e *env.Env, l *learn.Learn, s surface.Surfaces) *Executor { return &Executor{e, l, s} }

// Take takes an effect. One that was tried before is first looked up by its name, so that nothing is done twice.
func (a *Executor) Take(ctx context.Context, room int) (do work.Piece, next time.Time, err error) {
	if due, next, err := a.Store.Due(ctx, store.Effects); err != nil || !due {
		return nil, next, err
	}
	var e *store.Effect
	var j *job
	err = a.Store.Update(ctx, func(tx *store.Tx) error {
		e, next, err = tx.Outbox.ClaimEffect(a.Workers.Claim(room, work.ShortLease))
		if err != nil || e == nil {
			return err
		}
		j, err = a.prepare(a.InPipeline(ctx, e.Pipeline), tx, *e)
		return err
	})
	switch {
	case errors.Is(err, store.ErrConflict): // a stage has to be decided first
		return work.Nothing, time.Time{}, nil
	case err != nil || e == nil:
		return nil, next, err
	case j == nil:
		return work.Nothing, time.Time{}, nil
	}
	return func(ctx context.Context) error { return a.carryOut(ctx, j) }, time.Time{}, nil
}

// prepare reads the data that it takes to carry out a claimed effect. If it cannot, it gives the effect up and returns
// no job; after a panic the effect is tried again.
func (a *Executor) prepare(ctx context.Context, tx *store.Tx, e store.Effect) (j *job, err error) {
	err = a.Contain(ctx, work.InEffect, func() (err error) {
		j, err = a.jobOf(tx, e)
		return err
	})
	switch {
	case err == nil:
		return j, nil
	case work.PanicOf(err) != nil:
		return nil, tx.Outbox.RetryEffect(&e, err.Error(), tx.Now.Add(work.RequestBackoff.After(e.Attempts, 0)))
	}
	zerolog.Ctx(ctx).Error().Err(err).Str(work.KeyEffect, string(e.Key())).Msg("effect is given up")
	return nil, tx.Outbox.FailEffect(&e, err.Error())
}

// carryOut carries out one effect and records the result.
func (a *Executor) carryOut(ctx context.Context, j *job) error {
	began := a.Clock()
	log := zerolog.Ctx(ctx).With().Str(work.KeyEffect, string(j.Key())).Str(work.KeyRepo, string(j.files.Repo)).Logger()
	limited, held, cancel := work.Leased(log.WithContext(ctx), j.Lease, work.ShortLease)
	defer cancel()
	var rec work.Record
	failed := a.Contain(limited, work.InEffect, func() (err error) {
		if j.Lease.Deadly() {
			log.Error().Err(work.ErrDeadly).Msg("effect is set aside")
			return work.ErrDeadly
		}
		rec, err = a.perform(limited, j)
		return j.client.Missing(limited, err)
	})
	if ctx.Err() != nil {
		return nil // the program stops; the next start looks the effect up
	}
	// The lease is not looked at before: the end of the effect fails without it, and all of this with that.
	err := a.CountPanic(limited, work.InEffect,
		a.Store.Update(ctx, func(tx *store.Tx) error { return a.finish(tx, j, rec, failed) }))
	if bug := work.PanicOf(err); bug != nil {
		err = a.Store.Update(ctx, func(tx *store.Tx) error { return a.finish(tx, j, nil, bug) })
	}
	if errors.Is(err, store.ErrLeaseLost) {
		return work.UnlessLost(held, err)
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", j.Key(), err)
	}
	a.Metrics.Tried(j.Verb, j.outcome(failed), a.Clock().Sub(began))
	a.Undecided.Notify()
	a.Due.Notify()
	a.Shown.Notify()
	return nil
}

// outcome returns the outcome of a try, for the metric.
func (j *job) outcome(failed error) string {
	switch {
	case failed == nil:
		return env.TriedDone
	case j.givenUp:
		return env.TriedFailed
	}
	return env.TriedAgain
}

// finish ends an effect in one of three ways: done, with its record; to be tried again, if the failure may pass; given
// up, if another try cannot help.
func (a *Executor) finish(tx *store.Tx, j *job, rec work.Record, failed error) error {
	j.givenUp = false
	if stale, err := overtaken(tx, j); err != nil {
		return err
	} else if stale {
		return tx.Outbox.FinishEffect(&j.Effect, j.said)
	}
	if failed == nil {
		if rec != nil {
			if err := rec(tx); err != nil {
				return err
			}
		}
		if err := j.log(tx); err != nil {
			return err
		}
		return tx.Outbox.FinishEffect(&j.Effect, j.said)
	}
	again, rejection, final := a.again(tx.Now, j, failed)
	if err := tx.Outbox.RejectEffect(&j.Effect, rejection); err != nil {
		return err
	}
	if none, is := work.NoContent(failed); is {
		return tx.Outbox.AwaitContent(&j.Effect, failed.Error(), none)
	}
	if !final {
		return tx.Outbox.RetryEffect(&j.Effect, failed.Error(), again)
	}
	if err := a.giveUp(tx, j, failed); err != nil {
		return err
	}
	j.givenUp = true
	return tx.Outbox.FailEffect(&j.Effect, failed.Error())
}

// overtaken reports whether a rollout has gone on to another step while an effect of a step was carried out: its result
// is known already, and must not change the attempt of the next step.
func overtaken(tx *store.Tx, j *job) (bool, error) {
	if j.Step == 0 || !j.Verb.Is(promotion.OfStep) {
		return false, nil
	}
	now, err := tx.Ledger.Attempt(j.Pipeline, j.promotion.Number)
	return now.Step != j.Step, err
}

// log adds the effect to the audit trail, if it did something visible.
func (j *job) log(tx *store.Tx) error {
	if j.idle || j.Verb.Is(promotion.Unlogged) {
		return nil
	}
	return tx.Audit.Log(store.Event{
		Kind: store.EventEffect, Pipeline: j.Pipeline, Stage: j.Stage, Promotion: j.Promotion,
		Word: string(j.Verb), Reason: j.Reason, Source: cmp.Or(j.Surface, "github"), Text: j.Outcome,
	})
}

// giveUp records that a promotion cannot be carried out. Effects that a promotion does not depend on (tell, reply,
// close) fail alone.
func (a *Executor) giveUp(tx *store.Tx, j *job, failed error) error {
	if !j.Verb.Is(promotion.Fatal) {
		return nil
	}
	return tx.Ledger.SaveFailure(j.Pipeline, j.promotion.Number, gh.Explain(failed))
}

// executors carry out effects, by the names in the table of effects.
var executors = map[promotion.Executor]func(*Executor, context.Context, *job) (work.Record, error){
	"plan":                 (*Executor).plan,
	"open pull request":    (*Executor).open,
	"merge pull request":   (*Executor).merge,
	"put on branch":        (*Executor).commitDirectly,
	"dequeue pull request": (*Executor).dequeue,
	"start workflow":       (*Executor).startWorkflow,
	"close pull request":   (*Executor).close,
	"read signals":         (*Executor).observe,
	"read files":           (*Executor).readFiles,
	"read targets":         (*Executor).probe,
	"tell":                 (*Executor).tell,
	"reply":                (*Executor).reply,
}

// perform carries out an effect. For a stage that has just been removed it plans and merges nothing: the stage's next
// decision ends its open work. For a past step of a rollout it does only owed effects.
func (a *Executor) perform(ctx context.Context, j *job) (work.Record, error) {
	gone := j.stage == nil && j.Verb.Is(promotion.OfStage) && !j.attempt.Underway()
	if gone || j.past && !j.Verb.Is(promotion.Owed) {
		j.idle = true
		return nil, nil
	}
	execute := executors[j.Verb.Kind().Executor]
	if execute == nil {
		return nil, fmt.Errorf("carry out %s: no such verb", j.Verb)
	}
	return execute(a, ctx, j)
}

// jobOf reads the data that it takes to carry out an effect.
func (a *Executor) jobOf(tx *store.Tx, e store.Effect) (*job, error) {
	row, err := tx.Ledger.Pipeline(e.Pipeline)
	if err != nil {
		return nil, err
	}
	p, err := a.Pipelines.Compiled(row)
	if err != nil {
		return nil, err
	}
	j := &job{Effect: e, row: row, pipeline: p, stage: p.Stage(e.Stage)}
	j.files = p.FilesOf(j.stage)
	if e.Promotion != 0 {
		if err := j.about(tx, e); err != nil {
			return nil, err
		}
	}
	j.client, err = a.Client(j.files.Repo)
	return j, err
}

// about reads the promotion of an effect. Open work stays on the branch where it was begun.
func (j *job) about(tx *store.Tx, e store.Effect) (err error) {
	if j.promotion, j.attempt, j.freight, err = tx.Ledger.WithFreight(e.Pipeline, e.Promotion); err != nil {
		return err
	}
	j.files = j.attempt.Files
	if j.past = e.Step > 0 && e.Step != j.attempt.Step; j.past {
		if j.attempt, err = tx.Ledger.PastAttempt(e.Pipeline, e.Promotion, e.Step); err != nil {
			return err
		}
		j.files = j.attempt.Files
	}
	return nil
}

// marker is the hidden line by which a comment of an effect is found again.
func marker(j *job) string { return fmt.Sprintf("<!-- waybill:%d/%s -->", j.Pipeline, j.Key()) }
