package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

func TestPassages(t *testing.T) { prove(t, passages) }

// passages returns what came into stages since a time, among the newest promotions.
func (w *world) passages(since time.Time, newest int64) (found []promotion.Passage, all bool) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		found, all, err = tx.Promotions.PassagesAmong(pipeline, since, newest)
		return err
	})
	return found, all
}

var passages = []test{
	{"a passage has the times of the freight, of its promotion, of its sign-off and of its verdict", func(w *world) {
		w.clock.advance(time.Hour)
		f := w.merge(1)
		p := w.queued(prod, 1, f)
		begun := w.clock.Now()
		sign := w.approval(1, promotion.SignOff)
		sign.At = begun.Add(time.Minute)
		w.apply(prod, promotion.Decision{Promotions: []promotion.Promotion{p}, Approvals: []promotion.Approval{sign}})
		found, all := w.passages(start, 10)
		w.Empty(found, "it has not come there yet")
		w.True(all)
		w.clock.advance(2 * time.Minute)
		p = w.read(1)
		p.State, p.Started, p.Merged, p.MergeSHA = promotion.Verifying, begun, w.clock.Now(), "m"
		p.Rollout = oneStep()
		d := promotion.Deployment{
			Promotion: 1, Stage: prod, Warehouse: f.Warehouse, Freight: f.ID, Entered: p.Merged, Commit: "m",
			Results: onePart("m", p.Merged),
		}
		w.apply(prod, promotion.Decision{Promotions: []promotion.Promotion{p}, Deployments: []promotion.Deployment{d}})
		d.Verdict, d.Judged = promotion.Passed, w.clock.Now().Add(time.Minute)
		sign.Revoked = p.Merged // it is used up
		w.apply(prod, promotion.Decision{Deployments: []promotion.Deployment{d}, Approvals: []promotion.Approval{sign}})
		found, _ = w.passages(start, 10)
		w.Equal([]promotion.Passage{{
			Number: 1, Stage: prod, Warehouse: "api", Freight: f.ID, Class: promotion.Automatic, Made: f.Merged,
			Queued: begun, Started: begun, Signed: sign.At, Entered: p.Merged, Verdict: promotion.Passed, Judged: d.Judged,
		}}, found)
		found, _ = w.passages(p.Merged.Add(time.Microsecond), 10)
		w.Empty(found)
	}},
	{"only the newest promotions are looked at, and it is told if some were left out", func(w *world) {
		for n := range promotion.Number(3) {
			f := w.merge(int(n) + 1)
			if n > 0 {
				w.leave(dev, n)
			}
			w.host(dev, n+1, f, promotion.SHA(fmt.Sprint("m", n)))
			w.clock.advance(time.Hour)
		}
		found, all := w.passages(start, 3)
		w.Len(found, 3)
		w.True(all)
		found, all = w.passages(start, 2)
		w.Len(found, 2)
		w.False(all)
		_, all = w.passages(start.Add(time.Minute), 2)
		w.True(all, "what was left out is older")
	}},
	{"freight of a version was made when it was published", func(w *world) {
		api := &promotion.Warehouse{Name: "api", Kind: promotion.FromReleases, Repo: "acme/api"}
		f := promotion.NewFreight(api, 7, "c", start.Add(-24*time.Hour))
		f.Published, f.Serial = start.Add(-time.Minute), 1
		w.update(func(tx *store.Tx) error {
			_, err := tx.Freight.Record(pipeline, f)
			return err
		})
		w.host(dev, 1, f, "m")
		found, _ := w.passages(start, 10)
		w.Equal(f.Published, found[0].Made)
	}},
	{"holds that have stood since a time are listed, lifted or not", func(w *world) {
		for id := range int64(3) {
			h := promotion.Hold{ID: id + 1, Stage: dev, Reason: promotion.Because(promotion.Asked), At: start}
			w.apply(dev, promotion.Decision{Holds: []promotion.Hold{h}})
			if id < 2 {
				h.Lifted = start.Add(time.Duration(id) * time.Hour)
				w.apply(dev, promotion.Decision{Holds: []promotion.Hold{h}})
			}
		}
		w.view(func(tx *store.Tx) error {
			holds, err := tx.Ledger.HoldsSince(pipeline, start.Add(time.Minute))
			w.Len(holds, 2)
			w.Equal(int64(3), holds[0].ID)
			w.Equal(start.Add(time.Hour), holds[1].Lifted)
			return err
		})
	}},
}

// BenchmarkPassages reads what numbers are made of from a database of many promotions, and from one of as many as are
// looked at.
func BenchmarkPassages(b *testing.B) {
	n := size(b)
	small, big := openGrown(b, min(n, 10_000)), openGrown(b, n)
	read := func(g *grownStore) func() error {
		return func() error {
			return g.View(context.Background(), func(tx *store.Tx) error {
				found, _, err := tx.Promotions.Passages(1, tx.Now.AddDate(-1, 0, 0))
				require.NotEmpty(b, found)
				return err
			})
		}
	}
	compare(b, "large:small", turn{"10000", read(small)}, turn{fmt.Sprint(n), read(big)})
}
