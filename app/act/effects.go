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
func (a *Executor) Take(ctx context.Context, c store.Claim) (do work.Piece, next time.Time, err error) {
	if due, next, err := a.Store.Due(ctx, store.Effects); err != nil || !due {
		return nil, next, err
	}
	e, next, err := a.Store.ClaimEffect(ctx, a.Workers.Claim(c, work.ShortLease))
	switch {
	case errors.Is(err, store.ErrConflict): // a stage has to be decided first
		return work.Nothing, time.Time{}, nil
	case err != nil || e == nil:
		return nil, next, err
	}
	j, err := a.prepare(a.InPipeline(ctx, e.Pipeline), *e)
	if err != nil || j == nil {
		return work.Nothing, time.Time{}, err
	}
	return func(ctx context.Context) error { return a.carryOut(ctx, j) }, time.Time{}, nil
}

// prepare reads the data that it takes to carry out a claimed effect. If there is none any more, it gives the effect up
// and returns no job. Otherwise the effect is tried again: after a panic, where the database has failed, and where this
// server does not understand the pipeline file, which another one may have taken over.
func (a *Executor) prepare(ctx context.Context, e store.Effect) (*job, error) {
	j := &job{Effect: e}
	err := a.read(ctx, j)
	gone := errors.Is(err, store.ErrNotFound)
	if err == nil {
		err = a.Contain(ctx, work.InEffect, func() error { return a.complete(j) })
	}
	if err == nil {
		return j, nil
	}
	log := zerolog.Ctx(ctx).Error().Err(err).Str(work.KeyEffect, string(e.Key()))
	if gone {
		log.Msg("effect is given up")
	} else {
		log.Msg("effect is left for later")
	}
	return nil, a.Store.Update(ctx, func(tx *store.Tx) error {
		if gone {
			return tx.Outbox.FailEffect(&e, err.Error())
		}
		return tx.Outbox.RetryEffect(&e, err.Error(), tx.Now.Add(work.RequestBackoff.After(e.Attempts, 0)))
	})
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
		if err = j.client.Missing(limited, err); j.Verb.Is(promotion.Fatal) && errors.Is(err, gh.ErrRefused) {
			return a.renamed(limited, j, err)
		}
		return err
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
	a.WakeOfFacts()
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
	if moved, err := movedAway(tx, j); err != nil {
		return err
	} else if moved {
		return tx.Outbox.RetryEffect(&j.Effect, "the stage's files are elsewhere now", tx.Now)
	}
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
	now, err := tx.Attempts.Of(j.Pipeline, j.promotion.Number)
	return now.Step != j.Step, err
}

// movedAway reports whether the files of a stage have come to another branch while a promotion to it was planned.
func movedAway(tx *store.Tx, j *job) (bool, error) {
	if j.Verb != promotion.PlanVerb {
		return false, nil
	}
	now, err := tx.Attempts.Of(j.Pipeline, j.promotion.Number)
	return now.Step == j.attempt.Step && now.Files != j.attempt.Files, err
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
	return tx.Attempts.SaveFailure(j.Pipeline, j.promotion.Number, gh.Explain(failed))
}

// executors carry out effects, by the names in the table of effects.
var executors = map[promotion.Executor]func(*Executor, context.Context, *job) (work.Record, error){
	"plan":                 (*Executor).plan,
	"open pull request":    (*Executor).open,
	"merge pull request":   (*Executor).merge,
	"put on branch":        (*Executor).commitDirectly,
	"dequeue pull request": (*Executor).dequeue,
	"start workflow":       (*Executor).startWorkflow,
	"compare pull request": (*Executor).compare,
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
	if j.Withdrawn && j.Verb != promotion.Merge && !j.attempt.Underway() {
		return nil, errWithdrawn // nothing of it has begun
	}
	execute := executors[j.Verb.Kind().Executor]
	if execute == nil {
		return nil, fmt.Errorf("carry out %s: no such verb", j.Verb)
	}
	return execute(a, ctx, j)
}

// read reads the rows that it takes to carry out an effect. Open work stays on the branch where it was begun.
func (a *Executor) read(ctx context.Context, j *job) error {
	err := a.Store.ViewOne(ctx, func(tx *store.Tx) (err error) {
		j.row, err = tx.Pipelines.ByID(j.Pipeline)
		return err
	})
	if err != nil || j.Promotion == 0 {
		return err
	}
	err = a.Store.ViewOne(ctx, func(tx *store.Tx) (err error) {
		j.promotion, j.attempt, j.freight, err = tx.Attempts.WithFreight(j.Pipeline, j.Promotion)
		return err
	})
	if j.past = j.Step > 0 && j.Step != j.attempt.Step; err != nil || !j.past {
		return err
	}
	return a.Store.ViewOne(ctx, func(tx *store.Tx) (err error) {
		j.attempt, err = tx.Attempts.Past(j.Pipeline, j.Promotion, j.Step)
		return err
	})
}

// complete finds what the rows of an effect mean.
func (a *Executor) complete(j *job) (err error) {
	if j.pipeline, err = a.Pipelines.Compiled(j.row); err != nil {
		return err
	}
	j.stage = j.pipeline.Stage(j.Stage)
	j.files = j.pipeline.FilesOf(j.stage)
	if j.Promotion != 0 {
		j.files = j.attempt.Files
	}
	j.client, err = a.Client(j.files.Repo)
	return err
}

// marker is the hidden line by which a comment of an effect is found again.
func marker(j *job) string { return fmt.Sprintf("<!-- waybill:%d/%s -->", j.Pipeline, j.Key()) }
