package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"

	"github.com/stretchr/testify/require"
)

// world is a database with one pipeline and a clock that moves only by hand.
type world struct {
	*testing.T
	*require.Assertions
	store    *store.Store
	clock    *clock
	pipeline *promotion.Pipeline
	shown    *store.View // the view that was claimed last
}

// The world's pipeline: dev takes from the warehouse, gate passes on freight verified in dev, prod takes from gate.
const (
	home     promotion.Repo = "acme/deploy"
	pipeline int64          = 7
	dev                     = "dev"
	prod                    = "prod"
)

func newWorld(t *testing.T) *world { return newWorldWith(t, store.Options{}) }

// newWorldWith makes a world whose database is opened with the options o.
func newWorldWith(t *testing.T, o store.Options) *world {
	w := &world{T: t, Assertions: require.New(t), clock: &clock{now: start}}
	o.Clock, o.ParkAfter, o.Rehearse = w.clock.Now, 3, true
	w.store = open(t, o)
	w.pipeline = samplePipeline()
	w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
	w.settle()
	return w
}

func row() store.PipelineRow {
	return store.PipelineRow{
		ID: pipeline, Repo: home, Installation: 3, Branch: "main", ConfigSHA: "c0", Config: []byte("version: 1"),
	}
}

func samplePipeline() *promotion.Pipeline {
	api := &promotion.Warehouse{Name: "api", Kind: promotion.FromPulls, Repo: "acme/api", Branch: "main"}
	changes := []promotion.Change{{Path: "values.yaml"}}
	smoke := []promotion.Matcher{
		{Kind: promotion.KindCheck, Pattern: "smoke", App: "github-actions", Appear: time.Hour, Timeout: 2 * time.Hour},
	}
	first := promotion.OnePlace(&promotion.Stage{Name: dev, Index: 0,
		From: []promotion.Source{{Warehouse: "api"}}, Delivery: promotion.DeliveryPullRequest,
		Policy: promotion.StagePolicy{Automatic: true}},
		promotion.Target{Changes: changes, Verify: smoke})
	gate := &promotion.Stage{Name: "gate", Index: 1, From: after(first)}
	last := promotion.OnePlace(&promotion.Stage{Name: prod, Index: 2,
		From: after(gate), Delivery: promotion.DeliveryPullRequest},
		promotion.Target{Changes: changes, Verify: smoke})
	return &promotion.Pipeline{
		Home: home, Branch: "main", Warehouses: []*promotion.Warehouse{api}, Stages: []*promotion.Stage{first, gate, last},
	}
}

func after(s *promotion.Stage) []promotion.Source {
	return []promotion.Source{{Warehouse: "api", After: &promotion.Gate{Of: []*promotion.Stage{s}, Need: 1}}}
}

// aMinute is a claim with a lease of one minute and no limits.
var aMinute = store.Claim{Lease: time.Minute}

// start is the initial time of the clock of every world.
var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// clock is a clock that a test moves by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the time of the clock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// update runs fn in a transaction, which must succeed.
func (w *world) update(fn func(tx *store.Tx) error) {
	w.Helper()
	w.NoError(w.tryUpdate(fn))
}

// tryUpdate runs fn in a transaction, which must raise the version of each stage whose snapshot it changes.
func (w *world) tryUpdate(fn func(tx *store.Tx) error) error {
	w.Helper()
	before := w.readings()
	err := w.store.Update(context.Background(), fn)
	after := w.readings()
	for stage, was := range before {
		if is := after[stage]; was.version == is.version {
			w.JSONEq(was.snapshot, is.snapshot, "the snapshot of %s has changed, and its version has not", stage)
		}
	}
	return err
}

// reading is the snapshot of a stage, as JSON, and the version of the stage that it was read at.
type reading struct {
	version  int64
	snapshot string
}

// readings reads all stages of the pipeline. It leaves out the times of observations, which decisions do not read, and
// the counters of the pipeline, which a decision that uses them checks itself.
func (w *world) readings() map[promotion.StageName]reading {
	all := map[promotion.StageName]reading{}
	w.view(func(tx *store.Tx) error {
		stages, err := tx.Stages.Of(pipeline)
		if err != nil {
			return err
		}
		for _, s := range stages {
			b, err := tx.Ledger.Basis(w.pipeline, s.Key)
			if err != nil {
				return err
			}
			snapshot := *b.Snapshot
			snapshot.Pipeline, snapshot.Stage, snapshot.Next, snapshot.NextID = nil, nil, 0, 0
			for i := range snapshot.Evidence {
				for k := range snapshot.Evidence[i].Runs {
					snapshot.Evidence[i].Runs[k].Observed = time.Time{}
				}
			}
			snapshot.Pulls = slices.Clone(snapshot.Pulls)
			for i := range snapshot.Pulls {
				snapshot.Pulls[i].Updated = time.Time{}
			}
			text, err := json.Marshal(&snapshot)
			if err != nil {
				return err
			}
			all[s.Key.Stage] = reading{b.Version(), string(text)}
		}
		return nil
	})
	return all
}

// view runs fn in a read-only transaction, which must succeed.
func (w *world) view(fn func(tx *store.Tx) error) {
	w.Helper()
	w.NoError(w.store.View(context.Background(), fn))
}

// undecided lists the stages that need a decision, in the order of the pipeline.
func (w *world) undecided() []string {
	w.Helper()
	names := []string{}
	w.view(func(tx *store.Tx) error {
		stages, err := tx.Stages.Of(pipeline)
		for _, s := range stages {
			if s.Undecided {
				names = append(names, string(s.Key.Stage))
			}
		}
		return err
	})
	return names
}

// settle marks every stage as decided without a decision.
func (w *world) settle() {
	w.Helper()
	for _, s := range w.undecided() {
		w.apply(s, promotion.Decision{})
	}
}

func key(stage string) store.StageKey {
	return store.StageKey{Pipeline: pipeline, Stage: promotion.StageName(stage)}
}

// snapshot reads the snapshot of a stage.
func (w *world) snapshot(stage string) *promotion.Snapshot {
	w.Helper()
	var s *promotion.Snapshot
	w.view(func(tx *store.Tx) (err error) {
		s, err = tx.Ledger.Snapshot(w.pipeline, key(stage))
		return err
	})
	return s
}

// basis reads the basis of a decision about a stage.
func (w *world) basis(stage string) (b store.Basis) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		b, err = tx.Ledger.Basis(w.pipeline, key(stage))
		return err
	})
	return b
}

// runs returns the runs in the evidence of a stage.
func (w *world) runs(stage string) (all []promotion.Signal) {
	w.Helper()
	for _, e := range w.snapshot(stage).Evidence {
		all = append(all, e.Runs...)
	}
	return all
}

// apply applies a decision about a stage to its current snapshot.
func (w *world) apply(stage string, d promotion.Decision) {
	w.Helper()
	w.NoError(w.tryApply(stage, d))
}

func (w *world) tryApply(stage string, d promotion.Decision) error {
	return w.tryUpdate(func(tx *store.Tx) error {
		s, err := tx.Ledger.Basis(w.pipeline, key(stage))
		if err != nil {
			return err
		}
		return tx.Ledger.Apply(s, d)
	})
}

// decide runs decisions until no stage is undecided.
func (w *world) decide() {
	w.Helper()
	for range 100 {
		again := false
		w.update(func(tx *store.Tx) error {
			k, _, err := tx.Stages.NextUndecided(store.StageKey{}, false)
			if err != nil || k.Stage == "" {
				return err
			}
			again = true
			s, err := tx.Ledger.Basis(w.pipeline, k)
			if err != nil {
				return err
			}
			return tx.Ledger.Apply(s, decide.Decide(s.Snapshot, tx.Now))
		})
		if !again {
			return
		}
	}
	w.FailNow("the stages are never decided")
}

// merge records pull request n as merged n minutes after start.
func (w *world) merge(n int) promotion.Freight {
	w.Helper()
	f := freightNo(n)
	w.update(func(tx *store.Tx) error {
		_, err := tx.Freight.Record(pipeline, f)
		return err
	})
	return f
}

func freightNo(n int) promotion.Freight {
	api := &promotion.Warehouse{Name: "api", Repo: "acme/api", Branch: "main"}
	f := promotion.NewFreight(api, n, promotion.SHA(fmt.Sprintf("c%07d", n)), start.Add(time.Duration(n)*time.Minute))
	f.Author, f.Title = promotion.Actor{ID: 5, Login: "ann"}, "A change"
	return f
}

// queued returns a new automatic promotion of freight to a stage.
func (w *world) queued(stage string, n promotion.Number, f promotion.Freight) promotion.Promotion {
	return promotion.Promotion{
		Number: n, Place: int64(n), Stage: promotion.StageName(stage), Freight: f.Ref(),
		Class: promotion.Automatic, Automatic: true, State: promotion.Queued, Queued: w.clock.Now(),
	}
}

// read returns a promotion as stored.
func (w *world) read(n promotion.Number) (p promotion.Promotion) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		p, err = tx.Promotions.ByNumber(pipeline, n)
		return err
	})
	return p
}

// oneStep returns the progress of a promotion to a stage with one unnamed target.
func oneStep() *promotion.Rollout {
	one := []promotion.TargetName{""}
	return &promotion.Rollout{Batches: []promotion.Batch{{Targets: one, AtOnce: 1}}, Step: 1, Targets: one}
}

// onePart returns the target results of a deployment to a stage with one unnamed target.
func onePart(commit promotion.SHA, since time.Time) []promotion.TargetResult {
	return []promotion.TargetResult{{Step: 1, Commit: commit, Since: since}}
}

// host deploys freight to a stage: promotion n is merged as commit m and is verifying.
func (w *world) host(stage string, n promotion.Number, f promotion.Freight, m promotion.SHA) {
	w.Helper()
	p := w.queued(stage, n, f)
	p.State, p.Started, p.Merged, p.MergeSHA = promotion.Verifying, w.clock.Now(), w.clock.Now(), m
	p.Rollout = oneStep()
	w.apply(stage, promotion.Decision{
		Promotions: []promotion.Promotion{p},
		Deployments: []promotion.Deployment{{
			Promotion: n, Stage: p.Stage, Warehouse: f.Warehouse, Freight: f.ID, Entered: p.Merged, Since: p.Merged, Commit: m,
			Results: onePart(m, p.Merged),
		}},
	})
	w.settle()
}

// open stores promotion n of a stage with an open pull request.
func (w *world) open(stage string, n promotion.Number, f promotion.Freight, pull int) promotion.Pull {
	w.Helper()
	p := w.queued(stage, n, f)
	p.State, p.Started, p.Rollout = promotion.WaitingForMerge, w.clock.Now(), oneStep()
	w.apply(stage, promotion.Decision{Promotions: []promotion.Promotion{p}})
	seen := promotion.Pull{
		Repo: home, Number: pull, Head: "waybill/" + stage + "/" + n.String(), HeadSHA: promotion.SHA("h" + n.String()),
		Base: "main", State: promotion.PullOpen, URL: "https://github.test/pull", Updated: w.clock.Now(),
	}
	w.update(func(tx *store.Tx) error {
		plan := promotion.Plan{Round: 1, Base: "b1", At: tx.Now, Paths: []string{"values.yaml"}, Hash: "x"}
		if err := tx.Plans.Save(pipeline, n, plan, []byte("work")); err != nil {
			return err
		}
		if err := tx.Plans.SaveCommit(pipeline, n, 0, 1, seen.Head, "b1", seen.HeadSHA); err != nil {
			return err
		}
		return tx.Attempts.SaveOpened(pipeline, n, 1, seen)
	})
	w.settle()
	return seen
}

// pull returns a pull request as stored.
func (w *world) pull(number int) (p promotion.Pull) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		p, err = tx.Pulls.ByNumber(home, number)
		return err
	})
	return p
}
