package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/grown"
	"waybill/promotion"
	"waybill/store"
)

// grownPipeline is the pipeline whose past package grown writes. Its last stage but rest comes after all others.
func grownPipeline() *promotion.Pipeline {
	p := &promotion.Pipeline{Home: grown.Home, Branch: grown.Branch}
	p.Warehouses = []*promotion.Warehouse{
		{Name: "api", Repo: "acme/api", Branch: "main"}, {Name: "web", Repo: "acme/web", Branch: "main"},
	}
	gate := &promotion.Gate{Soak: time.Hour}
	add := func(name promotion.StageName, from ...promotion.Source) *promotion.Stage {
		s := promotion.OnePlace(&promotion.Stage{
			Name: name, Index: len(p.Stages), From: from, Delivery: promotion.DeliveryPullRequest,
		}, promotion.Target{
			Changes: []promotion.Change{{Path: string(name) + ".yaml"}},
			Verify: []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "smoke-" + string(name),
				Appear: time.Hour, Timeout: time.Hour}},
		})
		p.Stages = append(p.Stages, s)
		return s
	}
	for i := range grown.StagesOf - 1 {
		s := add(promotion.StageName(fmt.Sprint("s", i)), promotion.Source{Warehouse: "api"})
		gate.Of, gate.Need = append(gate.Of, s), i+1
	}
	add("s3", promotion.Source{Warehouse: "api", After: gate}, promotion.Source{Warehouse: "web"})
	add(grown.Rest, promotion.Source{Warehouse: "web"})
	return p
}

// TestAGrownDatabaseIsAsTheStoreWouldHaveWrittenIt has the store write a short past row by row, and compares the
// snapshots that decisions read.
func TestAGrownDatabaseIsAsTheStoreWouldHaveWrittenIt(t *testing.T) {
	const promotions = 11
	folder := t.TempDir()
	bulk, written := filepath.Join(folder, "bulk.db"), filepath.Join(folder, "written.db")
	p := grownPipeline()
	var begin time.Time
	for _, path := range []string{bulk, written} {
		s := openFile(t, path, store.Options{})
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error { return tx.Pipelines.Save(row(), p) }))
		require.NoError(t, s.Close())
	}
	grown.Promotions(t, bulk, pipeline, promotions)
	raw(t, bulk, func(db *sql.DB) {
		var at int64
		require.NoError(t, db.QueryRow(`SELECT MIN(pushed_at) FROM pushes`).Scan(&at))
		begin = time.UnixMicro(at).UTC()
	})
	writePast(t, written, p, begin, promotions)

	require.Equal(t, snapshotsOf(t, written, p), snapshotsOf(t, bulk, p))
	for _, table := range []string{
		`freight`, `promotions`, `attempts`, `deployments`, `pulls`, `pushes`, `suites`, `signals`,
		`(SELECT pipeline, stage, target, repo, branch, commit_sha, chain, first, last, folded, fold_at FROM ways)`,
		`(SELECT stage, commit_sha, kind, evidence.id FROM evidence JOIN ways ON ways.id = way)`,
	} {
		want := contents(t, written, table)
		require.NotEmpty(t, want, table)
		require.Equal(t, want, contents(t, bulk, table), table)
	}
	require.Empty(t, contents(t, bulk, `pragma_foreign_key_check`))
	require.Equal(t, contents(t, written, schemaRows), contents(t, bulk, schemaRows))
}

// TestGrownPushesAreAsTheStoreWouldHaveWrittenThem has the store write pushes and check runs one by one, and compares
// the whole database, both with and without earlier pushes.
func TestGrownPushesAreAsTheStoreWouldHaveWrittenThem(t *testing.T) {
	for _, known := range []int{0, 3} {
		bulk, written := newResting(t, 2), newResting(t, 2)
		for _, r := range []*resting{bulk, written} {
			r.update(func(tx *store.Tx) error {
				return tx.Readings.Record(key("s0"), promotion.Reading{
					On: promotion.Branch{Repo: home, Name: "main"}, Commit: "m0",
					Values: []promotion.Value{{Path: "s0.yaml", Key: "tag", Text: "v1"}}})
			})
			r.goOn(known, 2)
		}
		bulk.grow(20, 10)
		for range 20 {
			at, suite := written.since.Add(time.Duration(written.pushes)*time.Minute), written.ids+1
			written.update(func(tx *store.Tx) error { return written.push(tx, at, "other.yaml") })
			for c := range 10 {
				written.ids++
				written.update(func(tx *store.Tx) error {
					_, err := tx.Signals.Record(promotion.Signal{Repo: home, Kind: promotion.KindCheck, ID: written.ids,
						SHA: written.head(0), App: "github-actions", Suite: suite, Name: fmt.Sprint("ci-", c),
						State: "success", URL: "https://github.test/run", Started: at, Ended: at, Observed: at})
					return err
				})
			}
			written.update(func(tx *store.Tx) error {
				_, err := tx.Signals.RecordSuite(promotion.Suite{Repo: home, ID: suite, SHA: written.head(0),
					App: "github-actions", Branch: "main", Completed: true, Conclusion: "success"})
				return err
			})
		}
		for _, r := range []*resting{bulk, written} {
			r.settle()
			r.update(func(tx *store.Tx) error { return r.check(tx, "e2e-1", start) })
			require.Len(t, r.runs("s1"), 1, "it is on a later head")
			require.Len(t, contents(t, r.path, "readings"), 1)
		}
		for _, table := range contents(t, bulk.path, `(SELECT name FROM sqlite_master WHERE type = 'table'
			AND name NOT IN ('process', 'schema_version'))`) {
			table = strings.TrimSuffix(strings.TrimPrefix(table, "name="), " ")
			require.Equal(t, contents(t, written.path, table), contents(t, bulk.path, table), table)
		}
		require.Equal(t, contents(t, written.path, schemaRows), contents(t, bulk.path, schemaRows))
	}
}

// schemaRows are the tables, indexes and triggers of a database.
const schemaRows = `(SELECT type, name, sql FROM sqlite_master)`

// snapshotsOf returns the snapshots of all stages, a day from now.
func snapshotsOf(t *testing.T, path string, p *promotion.Pipeline) (all []*promotion.Snapshot) {
	s := openFile(t, path, store.Options{Clock: tomorrow})
	all = snapshotsIn(t, s, p)
	require.NoError(t, s.Close())
	return all
}

func tomorrow() time.Time { return time.Now().Add(24 * time.Hour) }

// snapshotsIn returns the snapshots that decisions about the stages would read.
func snapshotsIn(t *testing.T, s *store.Store, p *promotion.Pipeline) (all []*promotion.Snapshot) {
	require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
		for _, stage := range p.Stages {
			sn, err := tx.Ledger.Snapshot(p, key(string(stage.Name)))
			if err != nil {
				return err
			}
			require.NotEmpty(t, sn.Evidence, stage.Name)
			require.NotEqual(t, sn.Deployments[0].Commit, sn.Evidence[0].Runs[0].SHA, "it is a later head")
			all = append(all, sn)
		}
		return nil
	}))
	return all
}

// raw runs do on a database that no store has open.
func raw(t testing.TB, path string, do func(*sql.DB)) {
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	do(db)
	require.NoError(t, db.Close())
}

// contents returns the rows of a table as text, in order.
func contents(t *testing.T, path, table string) (all []string) {
	raw(t, path, func(db *sql.DB) {
		rows, err := db.Query(`SELECT * FROM ` + table)
		require.NoError(t, err)
		columns, err := rows.Columns()
		require.NoError(t, err)
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range into {
				into[i] = &values[i]
			}
			require.NoError(t, rows.Scan(into...))
			var line string
			for i, c := range columns {
				line += fmt.Sprintf("%s=%v ", c, values[i])
			}
			all = append(all, line)
		}
		require.NoError(t, rows.Err())
	})
	slices.Sort(all)
	return all
}

// writePast has the store write the past that package grown describes.
func writePast(t *testing.T, path string, p *promotion.Pipeline, begin time.Time, promotions int) {
	w := &writer{T: t, p: p, clock: &clock{now: begin}}
	w.Store = openFile(t, path, store.Options{Clock: w.clock.Now})
	for i := range promotions + 2 {
		stage, f := w.nth(i)
		w.queue(stage, f)
		w.merge(i, stage)
		w.push(i, string(stage)+".yaml")
		w.host(i, stage, f)
		if i > 0 {
			w.judge(i - 1)
		}
		w.clock.advance(time.Second)
	}
	w.push(promotions+2, "other.yaml")
	w.judge(promotions + 1)
	require.NoError(t, w.Close())
}

// writer writes promotions one by one through a store.
type writer struct {
	*testing.T
	*store.Store
	p     *promotion.Pipeline
	clock *clock
	fresh promotion.Freight // the newest freight of api
}

func (w *writer) update(fn func(tx *store.Tx) error) {
	w.Helper()
	require.NoError(w, w.Update(context.Background(), fn))
}

// nth returns the stage and the freight of the promotion with index i.
func (w *writer) nth(i int) (promotion.StageName, promotion.Freight) {
	switch stage := promotion.StageName(fmt.Sprint("s", (i+2)%grown.StagesOf)); {
	case i == 0:
		return grown.Rest, w.freight("web", 1)
	case i == 1:
		f := w.freight("web", 1)
		f.Merged = f.Merged.Add(-time.Second)
		return stage, f
	default:
		if stage == "s0" {
			w.fresh = w.freight("api", i/grown.StagesOf+1)
		}
		return stage, w.fresh
	}
}

func (w *writer) freight(warehouse promotion.WarehouseName, n int) promotion.Freight {
	return promotion.Freight{
		ID: promotion.FreightID(fmt.Sprint(warehouse, n)), Warehouse: warehouse, Name: fmt.Sprint(warehouse, "#", n),
		Merged: w.clock.Now(), Number: n, Pull: n, Repo: promotion.Repo("acme/" + warehouse),
		SHA: promotion.SHA(fmt.Sprintf("%040d", n)), Author: promotion.Actor{ID: 5, Login: "ann"}, Title: "A change",
	}
}

// head returns the head of the branch after the promotion with index i.
func (w *writer) head(i int) promotion.SHA { return promotion.SHA(fmt.Sprintf("m%039d", i)) }

// queue queues a promotion of freight, which may be new.
func (w *writer) queue(stage promotion.StageName, f promotion.Freight) {
	w.update(func(tx *store.Tx) error {
		if _, err := tx.Freight.Record(pipeline, f); err != nil {
			return err
		}
		b, err := tx.Ledger.Basis(w.p, key(string(stage)))
		if err != nil {
			return err
		}
		return tx.Ledger.Apply(b, promotion.Decision{Promotions: []promotion.Promotion{{
			Number: b.Next, Place: b.NextPlace, Stage: stage, Freight: f.Ref(),
			Class: promotion.Manual, State: promotion.Queued, Queued: tx.Now, By: promotion.Actor{ID: 5, Login: "ann"},
		}}})
	})
}

// merge opens and merges the pull request of a promotion.
func (w *writer) merge(i int, stage promotion.StageName) {
	n := promotion.Number(i + 1)
	w.update(func(tx *store.Tx) error {
		plan := promotion.Plan{Round: 1, Base: "b", At: tx.Now, Paths: []string{string(stage) + ".yaml"}, Hash: "x"}
		pull := promotion.Pull{
			Repo: home, Number: i + 1, Head: fmt.Sprint("waybill/", n), HeadSHA: promotion.SHA(fmt.Sprintf("h%039d", i)),
			Base: "main", State: promotion.PullOpen, URL: fmt.Sprint("https://github.test/pull/", n), Updated: tx.Now,
		}
		err := tx.Plans.Save(pipeline, n, plan, nil)
		if err == nil {
			err = tx.Plans.SaveCommit(pipeline, n, 0, 1, pull.Head, plan.Base, pull.HeadSHA)
		}
		if err == nil {
			err = tx.Attempts.SaveOpened(pipeline, n, 1, pull)
		}
		if err == nil {
			pull.State, pull.MergeSHA, pull.MergedAt = promotion.PullMerged, w.head(i), tx.Now
			pull.By = promotion.Actor{ID: 5, Login: "ann"}
			_, err = tx.Pulls.Record(pull)
		}
		return err
	})
}

func (w *writer) push(i int, path string) {
	w.update(func(tx *store.Tx) error {
		_, err := tx.Branches.RecordPush(promotion.Push{Repo: home, Branch: "main", Before: w.head(i - 1), After: w.head(i),
			At: tx.Now, Paths: []string{path}})
		return err
	})
}

// host deploys the freight of a merged promotion to a stage, in place of older freight of its warehouse.
func (w *writer) host(i int, stage promotion.StageName, f promotion.Freight) {
	w.update(func(tx *store.Tx) error {
		b, err := tx.Ledger.Basis(w.p, key(string(stage)))
		if err != nil {
			return err
		}
		o := b.Promotions[len(b.Promotions)-1]
		o.State, o.Started, o.Merged, o.MergeSHA = promotion.Verifying, tx.Now, tx.Now, w.head(i)
		o.Rollout = oneStep()
		deployments := []promotion.Deployment{{Promotion: o.Number, Stage: stage, Warehouse: f.Warehouse, Freight: f.ID,
			Entered: tx.Now, Plan: "x", Commit: o.MergeSHA, Since: tx.Now,
			Results: onePart(o.MergeSHA, tx.Now)}}
		for _, y := range b.Deployments {
			if !y.Ended() && y.Warehouse == f.Warehouse {
				y.Left = tx.Now
				deployments = append(deployments, y)
			}
		}
		return tx.Ledger.Apply(b, promotion.Decision{Promotions: []promotion.Promotion{o}, Deployments: deployments})
	})
}

// judge records a successful check of a promotion on the head after its merge.
func (w *writer) judge(i int) {
	n := promotion.Number(i + 1)
	w.update(func(tx *store.Tx) error {
		o, err := tx.Promotions.ByNumber(pipeline, n)
		if err != nil {
			return err
		}
		if _, err := tx.Signals.Record(promotion.Signal{
			Repo: home, Kind: promotion.KindCheck, ID: int64(n), SHA: w.head(i + 1), App: "github-actions",
			Suite: int64(n), Name: "smoke-" + string(o.Stage), State: "success", URL: "https://github.test/run",
			Started: tx.Now, Ended: tx.Now, Observed: tx.Now,
		}); err != nil {
			return err
		}
		if _, err := tx.Signals.RecordSuite(promotion.Suite{Repo: home, ID: int64(n), SHA: w.head(i + 1),
			App: "github-actions", Branch: "main", Completed: true, Conclusion: "success"}); err != nil {
			return err
		}
		b, err := tx.Ledger.Basis(w.p, key(string(o.Stage)))
		if err != nil {
			return err
		}
		o.State, o.Ended = promotion.Succeeded, tx.Now
		d := promotion.Decision{Promotions: []promotion.Promotion{o}}
		for _, y := range b.Deployments {
			if y.Promotion == n {
				y.Verdict, y.Judged = promotion.Passed, tx.Now
				y.Results[0].Verdict, y.Results[0].Judged = promotion.Passed, tx.Now
				d.Deployments = append(d.Deployments, y)
			}
		}
		return tx.Ledger.Apply(b, d)
	})
}
