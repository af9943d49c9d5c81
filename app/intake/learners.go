package intake

import (
	"context"

	"waybill/app/learn"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// learners learn from the events of webhooks, in this order. A learner asks GitHub for facts that an event lacks, and
// returns how to record them; the records of a delivery are written in the same order.
var learners = []learner{
	on((*Intake).peopleChanged),
	on((*Intake).ownerRenamed),
	on((*Intake).freightOf),
	on((*Intake).unfinished),
	on((*Intake).pushedTo),
	on((*Intake).released),
	on((*Intake).tagged),
	on((*Intake).imaged),
	on((*Intake).dispatched),
	on((*Intake).removed),
	on((*Intake).completePaths), // later learners of pushes see all paths
	on((*Intake).overtaken),
	on((*Intake).pushedFiles),
	on((*Intake).accessChanged),
	on((*Intake).repositoryChanged),
	on((*Intake).proposed),
	on((*Intake).proposedAgain),
	on((*Intake).candidate),
	on((*Intake).candidateAgain),
	on((*Intake).mergeGroup),
	on((*Intake).protectedJob),
	on((*Intake).reportedOnTargets),
	on((*Intake).signal),
	on((*Intake).suite),
	on((*Intake).push),
	on((*Intake).ourPull),
	on((*Intake).bump),
	on((*Intake).touchedFiles), // after push, which outdates earlier readings
}

// learner learns from one event, if it is of the learner's type.
type learner func(in *Intake, ctx context.Context, from *handlers.From, e handlers.Event) (work.Record, error)

// on returns a learner from events of one type.
func on[E any](learn func(*Intake, context.Context, *handlers.From, *E) (work.Record, error)) learner {
	return func(in *Intake, ctx context.Context, from *handlers.From, e handlers.Event) (work.Record, error) {
		if event, is := e.(*E); is {
			return learn(in, ctx, from, event)
		}
		return nil, nil
	}
}

// learned passes the events of a delivery to the learners, and returns their records.
func (in *Intake) learned(ctx context.Context, told *handlers.Told) (all []work.Record, err error) {
	for _, learn := range learners {
		for _, e := range told.Events {
			rec, err := learn(in, ctx, &told.From, e)
			if err != nil {
				return nil, err
			}
			all = append(all, rec)
		}
	}
	return all, nil
}

// signal records a signal. Known facts change nothing, here and below.
func (in *Intake) signal(_ context.Context, _ *handlers.From, s *promotion.Signal) (work.Record, error) {
	return func(tx *store.Tx) error { return learn.RecordSignals(tx, []promotion.Signal{*s}, nil) }, nil
}

// suite records a check suite.
func (in *Intake) suite(_ context.Context, _ *handlers.From, s *promotion.Suite) (work.Record, error) {
	return func(tx *store.Tx) error { return learn.RecordSignals(tx, nil, []promotion.Suite{*s}) }, nil
}

// push records a push.
func (in *Intake) push(_ context.Context, _ *handlers.From, p *handlers.Push) (work.Record, error) {
	if p.PathsUnknown {
		return nil, nil
	}
	return func(tx *store.Tx) error {
		_, err := tx.Branches.RecordPush(p.Push)
		return err
	}, nil
}

// ourPull records the state of a pull request of ours.
func (in *Intake) ourPull(_ context.Context, from *handlers.From, p *handlers.OurPull) (work.Record, error) {
	return func(tx *store.Tx) error {
		if _, err := tx.Pulls.Record(p.Pull); err != nil || p.Dequeued == "" {
			return err
		}
		return tx.Pulls.Refuse(from.Repo, p.Number, say.Dequeued(p.Dequeued, from.Sender))
	}, nil
}

// bump records that GitHub may decide differently now about merging some pull requests.
func (in *Intake) bump(_ context.Context, from *handlers.From, b *handlers.Bump) (work.Record, error) {
	return func(tx *store.Tx) error {
		if b.SHA != "" {
			return tx.Pulls.BumpAt(from.Repo, b.SHA)
		}
		return tx.Pulls.BumpInto(from.Repo, b.Branch)
	}, nil
}
