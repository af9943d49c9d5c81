package act

import (
	"context"
	"errors"
	"fmt"
	"time"

	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

const (
	// listedWithin is how long after it was asked for GitHub lists a run at the latest.
	listedWithin = 2 * time.Minute
	// clockSkew is how far the clock of GitHub may have been behind ours when a run was asked for. What is not found is
	// never ended, so it is more than any clock is wrong for long; a day of runs of one workflow is a page or two.
	clockSkew = 24 * time.Hour
)

// startWorkflow starts the workflow of a promotion. That it is being started is written down first; the run is known by
// its name, which holds the number of the promotion. After a lost answer or a crash the run is looked for, and it is
// started anew only if GitHub does not list it when it surely would.
func (a *Executor) startWorkflow(ctx context.Context, j *job) (work.Record, error) {
	asked := j.attempt.Dispatched
	if j.attempt.State != promotion.AttemptStarting {
		begun := false
		err := a.Store.Update(ctx, func(tx *store.Tx) (err error) {
			asked = tx.Now
			begun, err = tx.Ledger.BeginDispatch(j.Pipeline, j.promotion.Number)
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case !begun:
			return nil, fmt.Errorf("%w: something about its stage has to be decided first", errUnsettled)
		}
		if err := a.askForRun(ctx, j); err != nil {
			return nil, err
		}
	}
	runs, err := j.client.Runs(ctx, j.workflow(), asked.Add(-clockSkew))
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		if run.Name == j.runName() {
			return func(tx *store.Tx) error {
				made := promotion.Made{Round: j.attempt.Plan.Round, Base: run.SHA, Head: run.SHA, At: run.Created, URL: run.URL}
				return tx.Ledger.SaveDispatched(j.Pipeline, j.promotion.Number, made, run.Signal)
			}, nil
		}
	}
	return nil, a.missingRun(ctx, j, asked)
}

// askForRun asks GitHub for the run. Only an answer tells that there is one.
func (a *Executor) askForRun(ctx context.Context, j *job) error {
	inputs := map[string]any{promotion.RunInput: j.runName()}
	for _, v := range j.attempt.Plan.Values {
		inputs[v.Key] = v.Text
	}
	err := j.client.StartWorkflow(ctx, j.workflow(), j.files.Name, inputs)
	if err == nil {
		err = a.Store.Update(ctx, func(tx *store.Tx) error { return tx.Ledger.SaveHeard(j.Pipeline, j.promotion.Number) })
	}
	return err
}

// missingRun is what becomes of a run that GitHub does not list: it is waited for, and when it is sure that there is
// none it is decided anew whether there should be.
func (a *Executor) missingRun(ctx context.Context, j *job, asked time.Time) error {
	if a.Clock().Sub(asked) < listedWithin {
		return fmt.Errorf("%w: GitHub does not list the run yet", errUnlisted)
	}
	gone := false
	err := a.Store.Update(ctx, func(tx *store.Tx) (err error) {
		gone, err = tx.Ledger.SaveUnheard(j.Pipeline, j.promotion.Number)
		return err
	})
	switch {
	case err != nil:
		return err
	case gone:
		return fmt.Errorf("%w: GitHub has not started it", errUnsettled)
	}
	return fmt.Errorf("%w: GitHub has started a run and does not list it; does the workflow's run-name "+
		"still show the input %s?", errUnlisted, promotion.RunInput)
}

// errUnlisted is what is said of a run that is looked for again.
var errUnlisted = errors.New("not listed")

// runName is the name of the run that the promotion starts.
func (j *job) runName() string {
	return j.pipeline.RunName(j.files.Repo, j.promotion.Stage, j.promotion.Number)
}

// workflow is the file of the workflow that the promotion starts.
func (j *job) workflow() string {
	if plan := j.attempt.Plan; plan != nil && len(plan.Paths) > 0 {
		return plan.Paths[0][len(".github/workflows/"):]
	}
	return ""
}
