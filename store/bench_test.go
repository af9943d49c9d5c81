package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"

	"github.com/stretchr/testify/require"
)

// payload is the size of a typical webhook.
const payload = 10 << 10

// BenchmarkAccept compares durable deliveries that share transactions with the same ones accepted one by one, and with
// the limit: a log that is appended to and synchronized as often.
func BenchmarkAccept(b *testing.B) {
	var grouped float64 // deliveries a second
	b.Run("64 producers, grouped", func(b *testing.B) {
		s := openFile(b, filepath.Join(b.TempDir(), "waybill.db"), store.Options{})
		grouped = accept(b, 64, func(d store.Delivery) error { _, err := s.Accept(context.Background(), d); return err })
	})
	b.Run("64 producers, one commit each", func(b *testing.B) {
		s := openFile(b, filepath.Join(b.TempDir(), "waybill.db"), store.Options{})
		var alone sync.Mutex
		rate := accept(b, 64, func(d store.Delivery) error {
			alone.Lock()
			defer alone.Unlock()
			_, err := s.Accept(context.Background(), d)
			return err
		})
		b.ReportMetric(grouped/rate, "grouped:this")
	})
	b.Run("1 producer", func(b *testing.B) {
		s := openFile(b, filepath.Join(b.TempDir(), "waybill.db"), store.Options{})
		accept(b, 1, func(d store.Delivery) error { _, err := s.Accept(context.Background(), d); return err })
	})
	b.Run("raw log, 32 deliveries a sync", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "log"))
		require.NoError(b, err)
		defer f.Close()
		var n int
		rate := accept(b, 1, func(d store.Delivery) error {
			if _, err := f.Write(d.Body); err != nil {
				return err
			}
			if n++; n%32 != 0 {
				return nil
			}
			return f.Sync()
		})
		b.ReportMetric(grouped/rate, "grouped:this")
	})
}

// accept spreads b.N deliveries over producers, and returns the number of calls per second.
func accept(b *testing.B, producers int, do func(store.Delivery) error) float64 {
	var next atomic.Int64
	var all sync.WaitGroup
	b.SetBytes(payload)
	b.ResetTimer()
	for range producers {
		all.Go(func() {
			body := make([]byte, payload)
			for {
				i := next.Add(1)
				if i > int64(b.N) {
					return
				}
				copy(body, fmt.Sprintf("%020d", i))
				if err := do(store.Delivery{Source: "github", GUID: fmt.Sprint(i), Event: "push", Body: body}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "calls/s")
	return rate
}

// BenchmarkDecide takes the snapshot of a production stage behind three upstream stages, decides, and applies. Much
// freight is on its way to the stage, and as much has been there.
func BenchmarkDecide(b *testing.B) {
	for _, waiting := range []int{0, 10, 1000} {
		b.Run(fmt.Sprintf("%d waiting", waiting), func(b *testing.B) {
			s, p := busy(b, 300, waiting)
			last := store.StageKey{Pipeline: 1, Stage: p.Stages[len(p.Stages)-1].Name}
			for b.Loop() {
				err := s.Update(context.Background(), func(tx *store.Tx) error {
					if err := tx.Stages.Touch(last); err != nil {
						return err
					}
					snapshot, err := tx.Ledger.Basis(p, last)
					if err != nil {
						return err
					}
					return tx.Ledger.Apply(snapshot, decide.Decide(snapshot.Snapshot, tx.Now))
				})
				require.NoError(b, err)
			}
		})
	}
}

// busy is a pipeline of three stages before a last one. Some freight has passed all stages; other freight has passed
// the first three and waits for a person.
func busy(b *testing.B, passed, waiting int) (*store.Store, *promotion.Pipeline) {
	s, p := emptyPipeline(b, filepath.Join(b.TempDir(), "waybill.db"))
	api := p.Warehouses[0]
	require.NoError(b, s.Update(context.Background(), func(tx *store.Tx) error {
		for i := range passed + waiting {
			if err := pass(tx, p, promotion.NewFreight(
				api, i+1, promotion.SHA(fmt.Sprintf("c%d", i)), tx.Now.Add(time.Duration(i)*time.Second),
			), i < passed); err != nil {
				return err
			}
		}
		return nil
	}))
	return s, p
}

// emptyPipeline is a new database with a pipeline of three stages before a last one.
func emptyPipeline(b *testing.B, path string) (*store.Store, *promotion.Pipeline) {
	s := openFile(b, path, store.Options{})
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main"}
	api := &promotion.Warehouse{Name: "api", Repo: "acme/api", Branch: "main"}
	p.Warehouses = []*promotion.Warehouse{api}
	gate := &promotion.Gate{Soak: time.Hour}
	for i := range 4 {
		stage := promotion.OnePlace(&promotion.Stage{
			Name: promotion.StageName(fmt.Sprintf("s%d", i)), Index: i, From: []promotion.Source{{Warehouse: "api"}},
			Delivery: promotion.DeliveryPullRequest,
		}, promotion.Target{Changes: []promotion.Change{{Path: "a.yaml"}},
			Verify: []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "smoke", Appear: time.Hour, Timeout: time.Hour}}})
		if i == 3 {
			stage.From[0].After = gate
		} else {
			gate.Of, gate.Need = append(gate.Of, stage), i+1
		}
		p.Stages = append(p.Stages, stage)
	}
	require.NoError(b, s.Update(context.Background(), func(tx *store.Tx) error {
		return tx.Pipelines.Save(store.PipelineRow{ID: 1, Repo: p.Home, Branch: "main"}, p)
	}))
	return s, p
}

// pass has freight pass the first three stages, or all of them.
func pass(tx *store.Tx, p *promotion.Pipeline, f promotion.Freight, all bool) error {
	if _, err := tx.Freight.Record(1, f); err != nil {
		return err
	}
	for _, stage := range p.Stages {
		if stage.Index == 3 && !all {
			return nil
		}
		key := store.StageKey{Pipeline: 1, Stage: stage.Name}
		s, err := tx.Ledger.Basis(p, key)
		if err != nil {
			return err
		}
		d := promotion.Decision{Promotions: []promotion.Promotion{{
			Number: s.Next, Stage: stage.Name, Freight: f.Ref(), Class: promotion.Manual, State: promotion.Succeeded,
			Queued: f.Merged, Started: f.Merged, Merged: f.Merged, Ended: f.Merged, MergeSHA: f.SHA, Rollout: oneStep(),
		}}}
		for _, deployment := range s.Deployments {
			if !deployment.Ended() {
				deployment.Left = f.Merged
				d.Deployments = append(d.Deployments, deployment)
			}
		}
		d.Deployments = append(d.Deployments, promotion.Deployment{
			Promotion: s.Next, Stage: stage.Name, Warehouse: f.Warehouse, Freight: f.ID, Entered: f.Merged,
			Verdict: promotion.Passed, Judged: f.Merged, Commit: f.SHA,
			Results: []promotion.TargetResult{{Step: 1, Commit: f.SHA, Verdict: promotion.Passed, Judged: f.Merged}},
		})
		if err := tx.Ledger.Apply(s, d); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkClaimEffect claims one of many due effects and schedules its retry: two durable transactions.
func BenchmarkClaimEffect(b *testing.B) {
	for _, due := range []int{100, 1000} {
		b.Run(fmt.Sprintf("%d due", due), func(b *testing.B) {
			s, p := busy(b, 1, 0)
			key := store.StageKey{Pipeline: 1, Stage: p.Stages[0].Name}
			require.NoError(b, s.Update(context.Background(), func(tx *store.Tx) error {
				snapshot, err := tx.Ledger.Basis(p, key)
				if err != nil {
					return err
				}
				var d promotion.Decision
				for i := range due {
					d.Effects = append(d.Effects, promotion.Effect{Verb: promotion.Reply, Stage: key.Stage, Request: int64(i + 1)})
				}
				return tx.Ledger.Apply(snapshot, d)
			}))
			for b.Loop() {
				var e *store.Effect
				require.NoError(b, s.Update(context.Background(), func(tx *store.Tx) (err error) {
					e, _, err = tx.Outbox.ClaimEffect(aMinute)
					return err
				}))
				require.NotNil(b, e)
				require.NoError(b, s.Update(context.Background(), func(tx *store.Tx) error {
					return tx.Outbox.RetryEffect(e, "later", tx.Now)
				}))
			}
		})
	}
}

// BenchmarkLog appends lines to the audit trail, each in its own Update that shares its commit with others.
func BenchmarkLog(b *testing.B) {
	s := openFile(b, filepath.Join(b.TempDir(), "waybill.db"), store.Options{})
	line := store.Event{
		Kind: store.EventState, Word: "verifying", Pipeline: 1, Stage: "prod", Promotion: 7,
		SHA: "0123456789012345678901234567890123456789", Reason: promotion.Because(promotion.Asked, "ann"),
		By: promotion.Actor{ID: 5, Login: "ann"}, Source: "decide",
	}
	accept(b, 64, func(store.Delivery) error {
		return s.Update(context.Background(), func(tx *store.Tx) error { return tx.Audit.Log(line) })
	})
}

// BenchmarkClaimDelivery claims a delivery from an inbox with few or very many rows, most of them of one repository.
func BenchmarkClaimDelivery(b *testing.B) {
	for _, waiting := range []int{1000, inShort(10_000, 100_000)} {
		b.Run(fmt.Sprint(waiting, " waiting"), func(b *testing.B) {
			s := openFile(b, filepath.Join(b.TempDir(), "waybill.db"), store.Options{})
			var all sync.WaitGroup
			for result := range 64 {
				all.Go(func() {
					for i := result; i < waiting; i += 64 {
						repo := promotion.Repo("acme/noisy")
						if i%100 == 0 {
							repo = promotion.Repo(fmt.Sprint("acme/r", i%1000))
						}
						_, err := s.Accept(context.Background(), store.Delivery{Source: "github", GUID: fmt.Sprint(i), Repo: repo})
						require.NoError(b, err)
					}
				})
			}
			all.Wait()
			for b.Loop() {
				require.NoError(b, s.Update(context.Background(), func(tx *store.Tx) error {
					d, _, err := tx.Inbox.ClaimDelivery(store.Claim{Lease: time.Hour})
					if err != nil {
						return err
					}
					require.NotNil(b, d)
					return tx.Inbox.DelayDelivery(d, "", tx.Now)
				}))
			}
		})
	}
}
