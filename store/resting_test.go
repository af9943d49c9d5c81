package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/grown"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/verify"
	"waybill/store"
)

// resting is a database whose stages have hosted their freight for long, while other people push to their branch.
type resting struct {
	t        testing.TB
	path     string
	store    *store.Store
	pipeline *promotion.Pipeline
	since    time.Time
	pushes   int
	ids      int64
}

// newResting makes stages s0, s1 and so on that have hosted freight since commit m0. Each has its own check.
func newResting(t testing.TB, stages int) *resting {
	r := &resting{t: t, since: start.Add(-30 * 24 * time.Hour), pipeline: &promotion.Pipeline{Home: home,
		Branch: "main"}}
	r.path = filepath.Join(t.TempDir(), "waybill.db")
	r.open()
	t.Cleanup(func() { require.NoError(t, r.store.Close()) })
	api := &promotion.Warehouse{Name: "api", Repo: "acme/api", Branch: "main"}
	r.pipeline.Warehouses = []*promotion.Warehouse{api}
	for i := range stages {
		r.pipeline.Stages = append(r.pipeline.Stages, promotion.OnePlace(&promotion.Stage{
			Name: promotion.StageName(fmt.Sprint("s", i)), Index: i, From: []promotion.Source{{Warehouse: "api"}},
			Delivery: promotion.DeliveryPullRequest,
		}, promotion.Target{Changes: []promotion.Change{{Path: fmt.Sprintf("s%d.yaml", i)}}, Verify: []promotion.Matcher{
			{Kind: promotion.KindCheck, Pattern: fmt.Sprint("e2e-", i), Appear: time.Hour, Timeout: time.Hour},
		}}))
	}
	r.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), r.pipeline) })
	f := promotion.NewFreight(api, 1, "c1", r.since)
	r.update(func(tx *store.Tx) error {
		_, err := tx.Freight.Record(pipeline, f)
		return err
	})
	for _, s := range r.pipeline.Stages {
		r.brings(s.Name, f, "m0", r.since, promotion.Succeeded)
	}
	r.settle()
	return r
}

// open opens the database.
func (r *resting) open() {
	r.t.Helper()
	var err error
	r.store, err = store.Open(context.Background(), "sqlite://"+r.path,
		store.Collecting(store.Options{Clock: func() time.Time { return start }}))
	require.NoError(r.t, err)
}

func (r *resting) update(fn func(tx *store.Tx) error) {
	r.t.Helper()
	require.NoError(r.t, r.store.Update(context.Background(), fn))
}

// brings deploys freight to a stage with its next promotion and a commit.
func (r *resting) brings(stage promotion.StageName, f promotion.Freight, commit promotion.SHA, at time.Time,
	state promotion.State) {
	r.t.Helper()
	r.update(func(tx *store.Tx) error {
		b, err := tx.Ledger.Basis(r.pipeline, key(string(stage)))
		if err != nil {
			return err
		}
		p := promotion.Promotion{Number: b.Next, Stage: stage, Freight: f.Ref(), Class: promotion.Manual,
			State: state, Queued: at, Started: at, Merged: at, MergeSHA: commit, Rollout: oneStep()}
		y := promotion.Deployment{Promotion: b.Next, Stage: stage, Warehouse: f.Warehouse, Freight: f.ID, Entered: at,
			Commit: commit, Since: at, Results: onePart(commit, at)}
		if state == promotion.Succeeded {
			p.Ended, y.Verdict, y.Judged = at, promotion.Passed, at
			y.Results[0].Verdict, y.Results[0].Judged = promotion.Passed, at
		}
		return tx.Ledger.Apply(b, promotion.Decision{Promotions: []promotion.Promotion{p},
			Deployments: []promotion.Deployment{y}})
	})
}

// push moves the branch by one commit: m1 follows m0 and so on.
func (r *resting) push(tx *store.Tx, at time.Time, path string) error {
	r.pushes++
	_, err := tx.Branches.RecordPush(promotion.Push{Repo: home, Branch: "main", Before: r.head(-1), After: r.head(0),
		At: at, Paths: []string{path}})
	return err
}

// head returns the newest head of the branch, or the one that is back heads older.
func (r *resting) head(back int) promotion.SHA { return promotion.SHA(fmt.Sprint("m", r.pushes+back)) }

// check records a successful check run on the newest head.
func (r *resting) check(tx *store.Tx, name string, at time.Time) error {
	r.ids++
	_, err := tx.Signals.Record(promotion.Signal{Repo: home, Kind: promotion.KindCheck, ID: r.ids,
		SHA: r.head(0), App: "github-actions",
		Suite: r.ids, Name: name, State: "success", Started: at, Ended: at, Observed: at})
	return err
}

// goOn records this many pushes to the branch, each with check runs that no stage waits for.
func (r *resting) goOn(pushes, checks int) {
	r.t.Helper()
	for goal := r.pushes + pushes; r.pushes < goal; {
		r.update(func(tx *store.Tx) error {
			for range min(500, goal-r.pushes) {
				at := r.since.Add(time.Duration(r.pushes) * time.Minute)
				if err := r.push(tx, at, "other.yaml"); err != nil {
					return err
				}
				for c := range checks {
					if err := r.check(tx, fmt.Sprint("ci-", c), at); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}

// grow adds the same rows as goOn, in bulk.
func (r *resting) grow(pushes, checks int) {
	r.t.Helper()
	require.NoError(r.t, r.store.Close())
	grown.Pushes{
		Count: pushes, Checks: checks, Known: r.pushes, Runs: r.ids,
		Since: r.since.Add(time.Duration(r.pushes) * time.Minute), Recorded: start,
	}.Write(r.t, r.path)
	r.pushes += pushes
	r.ids += int64(pushes * checks)
	r.open()
}

// settle decides until no stage is undecided.
func (r *resting) settle() {
	r.t.Helper()
	for again := true; again; {
		r.update(func(tx *store.Tx) error {
			again = false
			k, _, err := tx.Stages.NextUndecided(store.StageKey{}, false)
			if err != nil || k.Stage == "" {
				return err
			}
			again = true
			return r.decide(tx, k)
		})
	}
}

func (r *resting) decide(tx *store.Tx, k store.StageKey) error {
	b, err := tx.Ledger.Basis(r.pipeline, k)
	if err != nil {
		return err
	}
	return tx.Ledger.Apply(b, decide.Decide(b.Snapshot, tx.Now))
}

// undecided counts the stages that need a decision.
func (r *resting) undecided() (n int) {
	r.t.Helper()
	require.NoError(r.t, r.store.View(context.Background(), func(tx *store.Tx) error {
		n = 0
		stages, err := tx.Stages.Of(pipeline)
		for _, s := range stages {
			if s.Undecided {
				n++
			}
		}
		return err
	}))
	return n
}

// runs returns the runs in the evidence of a stage.
func (r *resting) runs(stage string) (all []promotion.Signal) {
	r.t.Helper()
	require.NoError(r.t, r.store.View(context.Background(), func(tx *store.Tx) error {
		s, err := tx.Ledger.Snapshot(r.pipeline, key(stage))
		all = nil
		for _, e := range s.Evidence {
			all = append(all, e.Runs...)
		}
		return err
	}))
	return all
}

// forget deletes all rows that retention may delete.
func (r *resting) forget() int64 {
	r.t.Helper()
	all := store.Horizon{Deliveries: start.Add(time.Hour), Signals: start.Add(time.Hour), Facts: start.Add(time.Hour)}
	var p store.Pruning
	for !p.Done {
		from := p
		r.update(func(tx *store.Tx) (err error) {
			p, err = tx.Upkeep.Prune(all, from, 1000)
			return err
		})
	}
	return p.Gone
}

func TestCheckRunsThatNoStageWaitsForConcernNone(t *testing.T) {
	r := newResting(t, 20)
	r.goOn(30, 10)
	r.settle()
	r.update(func(tx *store.Tx) error { return r.check(tx, "unrelated lint", start) })
	require.Zero(t, r.undecided())
	require.Empty(t, r.runs("s0"))
	r.update(func(tx *store.Tx) error { return r.check(tx, "e2e-3", start) })
	require.Equal(t, 1, r.undecided())
	require.Len(t, r.runs("s3"), 1, "it is on a head that left the stage's files alone")
	require.EqualValues(t, 300+1, r.forget(),
		"all runs but the one that judges; the pushes lead to where the next may be")
	require.Len(t, r.runs("s3"), 1)
	require.Zero(t, r.forget())
}

func TestAYearAtRestKeepsAFewRuns(t *testing.T) {
	r := newResting(t, 1)
	for range 400 {
		r.update(func(tx *store.Tx) error {
			if err := r.push(tx, start, "other.yaml"); err != nil {
				return err
			}
			return r.check(tx, "e2e-0", start)
		})
	}
	require.LessOrEqual(t, len(r.runs("s0")), verify.KeptPassed+50)
	r.forget()
	newest := r.runs("s0")
	require.Equal(t, r.head(0), newest[len(newest)-1].SHA)
	r.update(func(tx *store.Tx) error {
		old := newest[0]
		old.ID, old.State = 1, "failure"
		_, err := tx.Signals.Record(old)
		return err
	})
	require.Len(t, r.runs("s0"), len(newest), "what is older than what was left out is not heard of any more")
	r.update(func(tx *store.Tx) error { return r.push(tx, start, "s0.yaml") })
	r.settle()
	r.update(func(tx *store.Tx) error { return r.check(tx, "e2e-0", start) })
	require.Zero(t, r.undecided())
}

func TestWhatHasLeftLeavesNothingBehind(t *testing.T) {
	r := newResting(t, 1)
	r.goOn(20, 3)
	next := promotion.NewFreight(r.pipeline.Warehouses[0], 2, "c2", start)
	r.update(func(tx *store.Tx) error {
		_, err := tx.Freight.Record(pipeline, next)
		return err
	})
	r.update(func(tx *store.Tx) error {
		b, err := tx.Ledger.Basis(r.pipeline, key("s0"))
		if err != nil {
			return err
		}
		gone := b.Deployments[0]
		gone.Left = start
		return tx.Ledger.Apply(b, promotion.Decision{Deployments: []promotion.Deployment{gone}})
	})
	r.brings("s0", next, r.head(0), start, promotion.Succeeded)
	require.EqualValues(t, 20*3+19, r.forget(), "signals, and pushes but the last")
}

func TestAStageThatIsRemovedKeepsNothingAndIsJudgedAnewWhenItComesBack(t *testing.T) {
	r := newResting(t, 1)
	r.goOn(20, 0)
	r.update(func(tx *store.Tx) error { return r.check(tx, "e2e-0", start) })
	without := *r.pipeline
	without.Stages = nil
	r.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), &without) })
	r.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), r.pipeline) })
	require.Len(t, r.runs("s0"), 1, "it was there for a moment only")
	require.Zero(t, r.forget())
	r.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), &without) })
	require.EqualValues(t, 1+19, r.forget(), "the check run, and pushes but the last")
}

// TestAWebhookIsKeptWhileADecisionIsRead accepts a webhook during the read of a snapshot. No decision may be lost.
func TestAWebhookIsKeptWhileADecisionIsRead(t *testing.T) {
	r := newResting(t, 1)
	r.goOn(10, 1)
	var basis store.Basis
	require.NoError(t, r.store.View(t.Context(), func(tx *store.Tx) (err error) {
		if basis, err = tx.Ledger.Basis(r.pipeline, key("s0")); err != nil {
			return err
		}
		fresh, err := r.store.Accept(t.Context(), store.Delivery{Source: "github", GUID: "g1", Event: "push"})
		require.True(t, fresh)
		return err
	}))
	r.update(func(tx *store.Tx) error {
		return tx.Ledger.Apply(basis, decide.Decide(basis.Snapshot, tx.Now))
	})
}

// TestAVerdictOnALaterHeadCountsAfterAnyNumberOfPushes has a stage that takes from two warehouses. The freight of one
// was merged long ago, that of the other is merged now, and its check runs on the head after the merge.
func TestAVerdictOnALaterHeadCountsAfterAnyNumberOfPushes(t *testing.T) {
	for _, between := range []int{10, 990, 1100} {
		r := newResting(t, 1)
		web := &promotion.Warehouse{Name: "web", Repo: "acme/web", Branch: "main"}
		r.pipeline.Warehouses = append(r.pipeline.Warehouses, web)
		s := r.pipeline.Stages[0]
		s.From = append(s.From, promotion.Source{Warehouse: "web"})
		r.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), r.pipeline) })
		f := promotion.NewFreight(web, 2, "w2", start.Add(-5*time.Minute))
		r.update(func(tx *store.Tx) error {
			_, err := tx.Freight.Record(pipeline, f)
			return err
		})
		r.goOn(between, 0)
		merged := start.Add(-3 * time.Minute)
		r.update(func(tx *store.Tx) error { return r.push(tx, merged, "s0.yaml") })
		r.brings(s.Name, f, r.head(0), merged, promotion.Verifying)
		r.update(func(tx *store.Tx) error { return r.push(tx, merged.Add(time.Minute), "other.yaml") })
		r.update(func(tx *store.Tx) error { return r.check(tx, "e2e-0", merged.Add(90*time.Second)) })
		r.settle()
		require.NoError(t, r.store.View(t.Context(), func(tx *store.Tx) error {
			p, err := tx.Promotions.ByNumber(pipeline, 2)
			require.Equal(t, promotion.Succeeded, p.State, "after %d pushes", between)
			return err
		}))
	}
}
