package act

import (
	"context"
	"slices"
	"time"

	"waybill/app/learn"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// observe asks GitHub for the signals of the commits that a verification looks at, of the kinds that it waits for. A
// request that failed does not count as silence, nor does what the App may not read.
func (a *Executor) observe(ctx context.Context, j *job) (work.Record, error) {
	asked := promotion.Later(a.Clock(), j.Decided) // a deadline has passed by the clock of whoever decided
	so := asked                                    // since when all that is read is so
	var all []work.Record
	for _, on := range j.pipeline.BranchesOf(j.stage) {
		since, rec, err := a.observeOn(ctx, j, on, asked)
		if err != nil {
			return nil, err
		}
		so = promotion.Sooner(so, since)
		all = append(all, rec)
	}
	runs, err := learn.Runs(ctx, j.client, j.stage, j.promotion.Started.Add(-clockSkew))
	if err != nil {
		return nil, err
	}
	all = append(all, func(tx *store.Tx) error {
		if err := learn.RecordSignals(tx, runs, nil); err != nil {
			return err
		}
		return tx.Attempts.SaveObserved(j.Pipeline, j.promotion.Number, j.Request, so)
	})
	return work.InOrder(all), nil
}

// observeOn asks for the signals of the promotion's commits on one branch, and returns since when what they say is so:
// from asked on, or longer.
func (a *Executor) observeOn(
	ctx context.Context, j *job, on promotion.Branch, asked time.Time,
) (since time.Time, rec work.Record, err error) {
	var commits []promotion.SHA
	err = a.Store.View(ctx, func(tx *store.Tx) (err error) {
		commits, err = tx.Deployments.Watched(j.Pipeline, j.promotion.Number, on)
		return err
	})
	kinds := awaited(j.stage)
	if err != nil || len(commits) == 0 || len(kinds) == 0 {
		return asked, nil, err
	}
	client, err := a.Client(on.Repo)
	if err != nil {
		return asked, nil, err
	}
	first := min(len(commits), firstRead)
	signals, suites, err := client.Signals.On(ctx, commits[:first], kinds...)
	if err != nil {
		return asked, nil, err
	}
	if since, err = a.readOn(ctx, client, on.Repo, commits[first:], asked, j.Decided); err != nil {
		return since, nil, err
	}
	return since, func(tx *store.Tx) error { return learn.RecordSignals(tx, signals, suites) }, nil
}

// awaited lists the kinds of the signals that verify a stage; none for one that has left the pipeline file.
func awaited(s *promotion.Stage) (kinds []promotion.SignalKind) {
	if s == nil {
		return nil
	}
	for _, t := range s.Targets {
		for _, m := range t.Verify {
			if !slices.Contains(kinds, m.Kind) {
				kinds = append(kinds, m.Kind)
			}
		}
	}
	return kinds
}
