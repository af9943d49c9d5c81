package store_test

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/grown"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"
)

// size returns the number of promotions in a large database, from WAYBILL_PROMOTIONS. A million takes minutes to make.
func size(b *testing.B) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("WAYBILL_PROMOTIONS"), strconv.Itoa(inShort(10_000, 50_000))))
	require.NoError(b, err, "WAYBILL_PROMOTIONS")
	return n
}

// BenchmarkSize compares a database of a thousand promotions with a large one, each with all rows of its promotions. It
// measures a decision about a busy stage, a decision about a stage at rest since the first promotion, and a webhook
// from its acceptance to its end. The two databases take turns.
func BenchmarkSize(b *testing.B) {
	n := size(b)
	small, big := openGrown(b, 1_000), openGrown(b, n)
	for _, compared := range []struct {
		what string
		do   func(*grownStore) error
	}{
		{"start", (*grownStore).restart},
		{"decision", func(g *grownStore) error { return g.decide("s3") }},
		{"decision at rest", func(g *grownStore) error { return g.decide(grown.Rest) }},
		{"intake", (*grownStore).takeIn},
	} {
		do := compared.do
		b.Run(compared.what, func(b *testing.B) {
			compare(b, "large:small", turn{"1000", func() error { return do(small) }},
				turn{fmt.Sprint(n), func() error { return do(big) }})
		})
	}
}

// grownStore is the database of a pipeline that has promoted for a long time.
type grownStore struct {
	*store.Store
	path string
	p    *promotion.Pipeline
	next int // the number of the last webhook
}

// openGrown makes and opens a database with this many promotions. The last one of each stage is still deployed.
func openGrown(b *testing.B, promotions int) *grownStore {
	g := newGrown(b, promotions)
	g.open(b)
	b.Cleanup(func() { require.NoError(b, g.Close()) })
	require.NoError(b, g.Update(context.Background(), func(tx *store.Tx) error {
		for _, stage := range g.p.Stages {
			if err := tx.Stages.Touch(store.StageKey{Pipeline: 1, Stage: stage.Name}); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, stage := range g.p.Stages {
		require.NoError(b, g.decide(stage.Name))
	}
	return g
}

// newGrown makes a database with this many promotions and leaves it closed.
func newGrown(b *testing.B, promotions int) *grownStore {
	g := &grownStore{path: filepath.Join(b.TempDir(), "waybill.db"), p: grownPipeline()}
	g.open(b)
	require.NoError(b, g.Update(context.Background(), func(tx *store.Tx) error {
		return tx.Pipelines.Save(store.PipelineRow{ID: 1, Repo: g.p.Home, Branch: g.p.Branch}, g.p)
	}))
	require.NoError(b, g.Close())
	begun := time.Now()
	grown.Promotions(b, g.path, 1, promotions)
	b.Logf("%d promotions made in %s", promotions, time.Since(begun).Round(time.Millisecond))
	return g
}

func (g *grownStore) open(b *testing.B) {
	var err error
	g.Store, err = store.Open(context.Background(), "sqlite://"+g.path, store.Options{})
	require.NoError(b, err)
}

// restart closes and opens the database, and makes the first decision.
func (g *grownStore) restart() (err error) {
	if err := g.Close(); err != nil {
		return err
	}
	if g.Store, err = store.Open(context.Background(), "sqlite://"+g.path, store.Options{}); err != nil {
		return err
	}
	return g.decide("s3")
}

// decide takes a snapshot of a stage, decides, and applies the decision, as after a fact about the stage.
func (g *grownStore) decide(stage promotion.StageName) error {
	return g.Update(context.Background(), func(tx *store.Tx) error {
		key := store.StageKey{Pipeline: 1, Stage: stage}
		if err := tx.Stages.Touch(key); err != nil {
			return err
		}
		if _, _, err := tx.Stages.NextUndecided(store.StageKey{}, false); err != nil {
			return err
		}
		s, err := tx.Ledger.Basis(g.p, key)
		if err != nil {
			return err
		}
		return tx.Ledger.Apply(s, decide.Decide(s.Snapshot, tx.Now))
	})
}

// takeIn accepts a webhook about deployed freight, claims it, and records its fact.
func (g *grownStore) takeIn() error {
	g.next++
	ctx, id := context.Background(), int64(10_000_000+g.next)
	if _, err := g.Accept(ctx, store.Delivery{Source: "github", GUID: fmt.Sprint("new", g.next), Event: "check_run",
		Body: store.Noise(payload)}); err != nil {
		return err
	}
	var d *store.Delivery
	err := g.Update(ctx, func(tx *store.Tx) (err error) {
		d, _, err = tx.Inbox.ClaimDelivery(aMinute)
		return err
	})
	if err != nil {
		return err
	}
	return g.Update(ctx, func(tx *store.Tx) error {
		hosted, err := tx.Deployments.Hosted(1)
		if err != nil {
			return err
		}
		sha := hosted[len(hosted)-1].Commit
		if _, err := tx.Signals.Record(promotion.Signal{
			Repo: "acme/deploy", Kind: promotion.KindCheck, ID: id, SHA: sha, App: "github-actions", Suite: id, Name: "other",
			State: "success", Ended: tx.Now, Observed: tx.Now,
		}); err != nil {
			return err
		}
		if _, err := tx.Signals.RecordSuite(promotion.Suite{Repo: "acme/deploy", ID: id, SHA: sha, App: "github-actions",
			Completed: true}); err != nil {
			return err
		}
		return tx.Inbox.DeliveryHandled(d)
	})
}

// BenchmarkRestart opens a database with ten thousand due effects, and makes the first decision and the first claim.
// This is the cost of a start before the first request to GitHub.
func BenchmarkRestart(b *testing.B) {
	g := newGrown(b, 10_000)
	raw(b, g.path, func(db *sql.DB) {
		_, err := db.Exec(`UPDATE effects SET state = 'due', run_at = 0, done_at = NULL, token = 'dead'
			WHERE verb = 'open'`)
		require.NoError(b, err)
	})
	for b.Loop() {
		g.open(b)
		for _, stage := range g.p.Stages {
			require.NoError(b, g.decide(stage.Name))
		}
		require.NoError(b, g.Update(context.Background(), func(tx *store.Tx) error {
			e, _, err := tx.Outbox.ClaimEffect(aMinute)
			require.NotNil(b, e)
			return err
		}))
		b.StopTimer()
		require.NoError(b, g.Close())
		b.StartTimer()
	}
}

// BenchmarkForget measures how long a webhook waits for the writer while the old rows of very many promotions are
// deleted without a pause and the file is shrunk. It compares this with the same webhooks on an idle database.
func BenchmarkForget(b *testing.B) {
	n := inShort(10_000, 100_000)
	b.Run(fmt.Sprint(n, " promotions"), func(b *testing.B) {
		g := openGrown(b, n)
		var quiet, busy []time.Duration
		var f forgetting
		for b.Loop() {
			quiet = append(quiet, g.acknowledge(b)...)
			ctx, stop := context.WithCancel(context.Background())
			ended := make(chan error)
			go func() { ended <- f.forget(ctx, g.Store) }()
			busy = append(busy, g.acknowledge(b)...)
			stop()
			require.NoError(b, <-ended)
		}
		require.Positive(b, f.gone)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(microseconds(quiet, 50), "µs-median-quiet")
		b.ReportMetric(microseconds(busy, 50), "µs-median-forgetting")
		b.ReportMetric(float64(slices.Max(quiet).Microseconds()), "µs-worst-quiet")
		b.ReportMetric(float64(slices.Max(busy).Microseconds()), "µs-worst-forgetting")
		b.ReportMetric(float64(f.longest.Microseconds()), "µs-longest-step")
		b.ReportMetric(float64(f.gone), "rows")
	})
}

// acknowledge accepts some webhooks with rests between them, and returns the duration of each.
func (g *grownStore) acknowledge(b *testing.B) (all []time.Duration) {
	for range 300 {
		g.next++
		d := store.Delivery{Source: "github", GUID: fmt.Sprint("new", g.next), Body: store.Noise(payload)}
		all = append(all, took(b, func() error { _, err := g.Accept(context.Background(), d); return err }))
		time.Sleep(5 * time.Millisecond)
	}
	return all
}

// forgetting is the progress of retention.
type forgetting struct {
	gone    int64 // rows
	longest time.Duration
}

// forget deletes rows older than a minute and then shrinks the file, until no work is left or the context ends.
func (f *forgetting) forget(ctx context.Context, s *store.Store) error {
	var p store.Pruning
	for more := true; more; {
		begun := time.Now()
		var err error
		if p.Done {
			more, err = s.Shrink(ctx)
		} else {
			err = s.Update(ctx, func(tx *store.Tx) (err error) {
				old := tx.Now.Add(-time.Minute)
				p, err = tx.Upkeep.Prune(store.Horizon{Deliveries: old, Facts: old}, p, 200)
				return err
			})
		}
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		f.longest = max(f.longest, time.Since(begun))
	}
	f.gone += p.Gone
	return nil
}
