package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"testing"
	"time"
	"waybill/internal/grown"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"

	"github.com/stretchr/testify/require"
)

// usualSize is how many promotions a large database has, where WAYBILL_PROMOTIONS does not say: a million takes minutes to
// make.
const usualSize = 50_000

// BenchmarkSize compares a database of a thousand promotions with a large one, both with all that belongs to them: what a
// decision costs, and what a webhook costs from its acceptance to its end. The two take turns.
func BenchmarkSize(b *testing.B) {
	size := usualSize
	if n, err := strconv.Atoi(os.Getenv("WAYBILL_PROMOTIONS")); err == nil {
		size = n
	}
	small, big := openGrown(b, 1_000), openGrown(b, size)
	for _, compared := range []struct {
		what string
		do   func(*grownStore) error
	}{
		{"start", (*grownStore).restart},
		{"decision", (*grownStore).decide},
		{"intake", (*grownStore).takeIn},
	} {
		do := compared.do
		b.Run(compared.what, func(b *testing.B) {
			var few, many []time.Duration
			for b.Loop() {
				few = append(few, took(b, func() error { return do(small) }))
				many = append(many, took(b, func() error { return do(big) }))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(median(few).Microseconds()), "µs-of-1000")
			b.ReportMetric(float64(median(many).Microseconds()), fmt.Sprintf("µs-of-%d", size))
			b.ReportMetric(float64(median(many))/float64(median(few)), "large:small")
		})
	}
}

func took(b *testing.B, do func() error) time.Duration {
	begun := time.Now()
	require.NoError(b, do())
	return time.Since(begun)
}

func median(all []time.Duration) time.Duration {
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all[len(all)/2]
}

// grownStore is a database of a pipeline that has promoted for a long time.
type grownStore struct {
	*store.Store
	path string
	p    *promotion.Pipeline
	last store.StageKey
	next int // numbers webhooks
}

// openGrown makes a database with so many promotions, of which the last of each stage is still hosted.
func openGrown(b *testing.B, promotions int) *grownStore {
	path := filepath.Join(b.TempDir(), "waybill.db")
	s, p := emptyPipeline(b, path)
	err := s.Close()
	require.NoError(b, err)
	begun := time.Now()
	grown.Grow(b, path, 1, promotions)
	b.Logf("%d promotions made in %s", promotions, time.Since(begun).Round(time.Second))
	g := &grownStore{path: path, p: p, last: store.StageKey{Pipeline: 1, Stage: "s3"}}
	g.Store, err = store.Open(context.Background(), "sqlite://"+path, store.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, g.Close()) })
	require.NoError(b, g.Update(context.Background(), func(tx *store.Tx) error {
		for _, stage := range p.Stages {
			if err := tx.Ledger.Touch(store.StageKey{Pipeline: 1, Stage: stage.Name}); err != nil {
				return err
			}
		}
		return nil
	}))
	return g
}

// restart closes the database, opens it, and makes the first decision.
func (g *grownStore) restart() (err error) {
	if err := g.Close(); err != nil {
		return err
	}
	if g.Store, err = store.Open(context.Background(), "sqlite://"+g.path, store.Options{}); err != nil {
		return err
	}
	return g.decide()
}

// decide takes a snapshot of the last stage, decides, and applies, as after a fact that concerns it.
func (g *grownStore) decide() error {
	return g.Update(context.Background(), func(tx *store.Tx) error {
		if err := tx.Ledger.Touch(g.last); err != nil {
			return err
		}
		key, _, err := tx.Ledger.NextUndecided(store.StageKey{})
		if err != nil {
			return err
		}
		s, err := tx.Ledger.Basis(g.p, key)
		if err != nil {
			return err
		}
		return tx.Ledger.Apply(s, decide.Decide(s.Snapshot, tx.Now))
	})
}

// takeIn accepts a webhook about what is hosted, claims it, and records what it says.
func (g *grownStore) takeIn() error {
	g.next++
	ctx, id := context.Background(), int64(10_000_000+g.next)
	if _, err := g.Accept(ctx, store.Delivery{Source: "github", GUID: fmt.Sprint("new", g.next), Event: "check_run", Body: make([]byte, payload)}); err != nil {
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
		hosted, err := tx.Ledger.Hosted(1)
		if err != nil {
			return err
		}
		sha := hosted[len(hosted)-1].Commit
		if _, err := tx.Facts.RecordSignal(promotion.Signal{
			Repo: "acme/deploy", Kind: promotion.KindCheck, ID: id, SHA: sha, App: "github-actions", Suite: id, Name: "other",
			State: "success", Ended: tx.Now, Observed: tx.Now,
		}); err != nil {
			return err
		}
		if _, err := tx.Facts.RecordSuite(promotion.Suite{Repo: "acme/deploy", ID: id, SHA: sha, App: "github-actions", Completed: true}); err != nil {
			return err
		}
		return tx.Inbox.DeliveryHandled(d)
	})
}

// BenchmarkRestart opens a database with ten thousand effects that are due, and makes the first decision and the first
// claim: what a start costs before anybody speaks to GitHub.
func BenchmarkRestart(b *testing.B) {
	path := filepath.Join(b.TempDir(), "waybill.db")
	s, p := emptyPipeline(b, path)
	require.NoError(b, s.Close())
	grown.Grow(b, path, 1, 10_000)
	change := func(statement string) {
		db, err := sql.Open("sqlite", path)
		require.NoError(b, err)
		_, err = db.Exec(statement)
		require.NoError(b, err)
		require.NoError(b, db.Close())
	}
	change(`UPDATE effects SET state = 'due', run_at = 0, done_at = NULL, token = 'dead' WHERE verb = 'open'`)
	g := &grownStore{path: path, p: p, last: store.StageKey{Pipeline: 1, Stage: "s3"}}
	for b.Loop() {
		var err error
		g.Store, err = store.Open(context.Background(), "sqlite://"+path, store.Options{})
		require.NoError(b, err)
		for range grown.StagesOf {
			require.NoError(b, g.decide())
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

// BenchmarkForget measures how long a webhook waits for the writer at most while a hundred thousand promotions' worth of
// old rows is forgotten without a pause, and then the file shrunk, compared with when nothing of that happens.
func BenchmarkForget(b *testing.B) {
	g := openGrown(b, 100_000)
	worst := func() (longest, usual time.Duration) {
		var all []time.Duration
		for range 300 {
			all = append(all, took(b, func() error {
				g.next++
				_, err := g.Accept(context.Background(), store.Delivery{Source: "github", GUID: fmt.Sprint("new", g.next), Body: make([]byte, payload)})
				return err
			}))
			time.Sleep(5 * time.Millisecond)
		}
		sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
		return all[len(all)-1], all[len(all)/2]
	}
	quiet, usual := worst()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var gone, longest int64
	go func() {
		defer close(ended)
		var p store.Pruning
		for shrunk := true; ctx.Err() == nil && shrunk; {
			begun := time.Now()
			var err error
			if p.Done {
				shrunk, err = g.Shrink(ctx)
			} else {
				err = g.Update(ctx, func(tx *store.Tx) (err error) {
					p, err = tx.Upkeep.Prune(store.Horizon{Deliveries: tx.Now.Add(-time.Minute), Facts: tx.Now.Add(-time.Minute)}, p, 200)
					return err
				})
			}
			if err == nil {
				longest = max(longest, int64(time.Since(begun)))
			}
		}
		gone = p.Gone
	}()
	busy, usualBusy := worst()
	stop()
	<-ended
	b.ReportMetric(float64(quiet.Microseconds()), "µs-worst-quiet")
	b.ReportMetric(float64(busy.Microseconds()), "µs-worst-forgetting")
	b.ReportMetric(float64(usual.Microseconds()), "µs-median-quiet")
	b.ReportMetric(float64(usualBusy.Microseconds()), "µs-median-forgetting")
	b.ReportMetric(float64(longest)/1000, "µs-longest-step")
	b.ReportMetric(float64(gone), "rows")
	b.ReportMetric(0, "ns/op")
}
