package intake

import (
	"context"
	"errors"
	"maps"
	"slices"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/say"
	"waybill/store"
)

// maxTrial is how much may be looked at to foresee what a proposal would mean for promotions. It is counted, not timed,
// so that the answer is the same on every machine: a stage counts as perStage; each of its targets with each of their
// files, folders and signals, and the freight, promotions and deployments of a snapshot, count as 1. Nobody else writes
// to the database meanwhile.
const (
	maxTrial   = 5000
	quickTrial = 1000 // on a worker; a larger one goes on in the lane
	perStage   = 4
)

var (
	// errOnlyTried rolls back a transaction that was only a trial.
	errOnlyTried = errors.New("this was only tried")
	// errTooMuch ends a trial that would keep others from writing for too long.
	errTooMuch = errors.New("there is too much to look at")
)

// foresee tries other pipeline files in a transaction that is rolled back, and returns their effects. Where there is
// too much to look at, it only compares the files.
func (ps *proposals) foresee(
	ctx context.Context, row, next store.PipelineRow, p *promotion.Pipeline,
) (say.Proposal, error) {
	before, err := ps.Pipelines.Compiled(row)
	if err != nil {
		return say.Proposal{}, err
	}
	would := say.Proposal{Before: before, After: p}
	size := sizeOf(p) + sizeOf(before)
	if size > maxTrial {
		would.Large = true
		return would, nil
	}
	err = ps.quickly(ctx, size > quickTrial, func(quick bool) (bool, error) {
		most := maxTrial
		if quick {
			most = quickTrial
		}
		would.Prospects, err = ps.try(ctx, next, before, p, most-size)
		would.Large = errors.Is(err, errTooMuch)
		if would.Large {
			return false, nil
		}
		return true, err
	})
	if err != nil {
		return say.Proposal{}, err
	}
	return would, nil
}

// try tells what becomes of promotions, looking at most at so much. It returns errTooMuch if there is more.
func (ps *proposals) try(
	ctx context.Context, next store.PipelineRow, before, after *promotion.Pipeline, most int,
) (all []promotion.Prospect, err error) {
	err = ps.Store.Update(ctx, func(tx *store.Tx) error {
		t := trial{tx: tx, id: next.ID, left: most}
		if all, err = t.prospects(next, before, after); err != nil {
			return err
		}
		return errOnlyTried
	})
	if errors.Is(err, errOnlyTried) {
		return all, nil
	}
	return nil, err
}

// valuesOf is how many values a pipeline sets in all its targets.
func valuesOf(p *promotion.Pipeline) (n int) {
	for _, s := range p.Stages {
		for _, t := range s.Targets {
			for _, c := range t.Changes {
				n += len(c.Set)
			}
		}
	}
	return n
}

// sizeOf is how much of a trial a pipeline takes, besides what has happened in its stages.
func sizeOf(p *promotion.Pipeline) (n int) {
	for _, s := range p.Stages {
		n += perStage
		for _, t := range s.Targets {
			n += 1 + len(t.Changes) + len(t.Copies) + len(t.Verify)
		}
	}
	return n
}

// trial is one, with how much it may still look at.
type trial struct {
	tx   *store.Tx
	id   int64
	left int
}

// prospects tells what becomes of the promotions of every stage that a pipeline has, or had before, by their names.
func (t *trial) prospects(
	next store.PipelineRow, before, after *promotion.Pipeline,
) (all []promotion.Prospect, err error) {
	was, err := t.snapshots(before, before.Stages)
	if err == nil {
		err = t.tx.Pipelines.Save(next, after)
	}
	if err != nil {
		return nil, err
	}
	is, err := t.snapshots(after, slices.Concat(after.Stages, before.Stages))
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		all = append(all, decide.Foresee(was[name], is[name], t.tx.Now))
	}
	return all, nil
}

// snapshots reads a snapshot of each stage, as it is by the files of p.
func (t *trial) snapshots(
	p *promotion.Pipeline, stages []*promotion.Stage,
) (map[promotion.StageName]*promotion.Snapshot, error) {
	all := map[promotion.StageName]*promotion.Snapshot{}
	for _, stage := range stages {
		if all[stage.Name] != nil {
			continue
		}
		s, err := t.tx.Ledger.Snapshot(p, store.StageKey{Pipeline: t.id, Stage: stage.Name})
		if err != nil {
			return nil, err
		}
		if t.left -= len(s.Freight) + len(s.Promotions) + len(s.Deployments); t.left < 0 {
			return nil, errTooMuch
		}
		all[stage.Name] = s
	}
	return all, nil
}
