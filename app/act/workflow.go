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
	// listedWithin is the longest time until GitHub lists a requested run.
	listedWithin = 2 * time.Minute
	// clockSkew is how far the clock of GitHub may have been behind ours when a run was asked for. A run that is not found
	// never ends its promotion, so the bound is larger than lasting errors of clocks; a day of runs of one workflow is a
	// page or two.
	clockSkew = 24 * time.Hour
)

// startWorkflow starts the workflow of a promotion. It first records that it does. The run is known by its name, which
// has the number of the promotion. After a lost answer or a crash startWorkflow looks for the run, and the stage starts
// it anew only if GitHub does not list it within its time.
func (a *Executor) startWorkflow(ctx context.Context, j *job) (work.Record, error) {
	asked := j.attempt.Dispatched
	if j.attempt.State != promotion.AttemptStarting {
		if err := a.checkApprovals(ctx, j); err != nil {
			return nil, err
		}
		begun := false
		err := a.Store.Update(ctx, func(tx *store.Tx) (err error) {
			asked = tx.Now
			begun, err = tx.Attempts.BeginDispatch(j.Pipeline, j.promotion.Number)
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case !begun:
			return nil, fmt.Errorf("%w: something about its stage has to be decided first", errUnsettled)
		}
		if err := a.askForRun(ctx, j); err != nil {
			return nil, a.takeBack(ctx, j, err)
		}
	}
	runs, err := j.client.Workflows.Runs(ctx, j.workflow(), asked.Add(-clockSkew))
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		if run.Name == j.runName() {
			return func(tx *store.Tx) error {
				made := promotion.Made{Round: j.attempt.Plan.Round, Base: run.SHA, Head: run.SHA, At: run.Created, URL: run.URL}
				return tx.Attempts.SaveDispatched(j.Pipeline, j.promotion.Number, made, run.Signal)
			}, nil
		}
	}
	return nil, a.missingRun(ctx, j, asked)
}

// askForRun asks GitHub for the run. Only an answer confirms that there is one.
func (a *Executor) askForRun(ctx context.Context, j *job) error {
	inputs := map[string]any{promotion.RunInput: j.runName()}
	for _, v := range j.attempt.Plan.Values {
		inputs[v.Key] = v.Text
	}
	err := j.client.Workflows.Start(ctx, j.workflow(), j.files.Name, inputs)
	if err == nil {
		err = a.Store.Update(ctx, func(tx *store.Tx) error { return tx.Attempts.SaveHeard(j.Pipeline, j.promotion.Number) })
	}
	return err
}

// missingRun returns the error for a run that GitHub does not list: the effect waits for it, and once it is certain
// that there is none, the stage decides again.
func (a *Executor) missingRun(ctx context.Context, j *job, asked time.Time) error {
	if a.Clock().Sub(asked) < listedWithin {
		return fmt.Errorf("%w: GitHub does not list the run yet", errUnlisted)
	}
	gone := false
	err := a.Store.Update(ctx, func(tx *store.Tx) (err error) {
		gone, err = tx.Attempts.SaveUnheard(j.Pipeline, j.promotion.Number)
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

// errUnlisted says that a run is looked for again later.
var errUnlisted = errors.New("not listed")

// runName is the name of the run that the promotion starts.
func (j *job) runName() string {
	return j.pipeline.RunName(j.files.Repo, j.promotion.Stage, j.promotion.Number)
}

// workflow is the file name of the workflow that the promotion starts.
func (j *job) workflow() string {
	if plan := j.attempt.Plan; plan != nil && len(plan.Paths) > 0 {
		return plan.Paths[0][len(".github/workflows/"):]
	}
	return ""
}
