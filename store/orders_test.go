package store_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"waybill/promotion"
)

// TestOrders delivers facts in any order and any number of times: the last state at GitHub must win.
func TestOrders(t *testing.T) { prove(t, orders) }

var orders = []test{
	{"observations of a check end the same in whatever order they come (F3, T21)", func(w *world) {
		id := int64(100)
		rapid.Check(w.T, func(r *rapid.T) {
			id++
			history := []promotion.Signal{}
			for i, state := range rapid.SliceOfN(rapid.SampledFrom([]string{"queued", "success", "failure"}), 1, 5).
				Draw(r, "states") {
				s := check(id, "m1", state)
				s.Observed = start.Add(time.Duration(i) * time.Second)
				if state == "queued" {
					s.Ended = time.Time{}
				}
				history = append(history, s)
			}
			for _, s := range again(r, history) {
				w.signal(s)
			}
			if w.signal(history[len(history)-1]) {
				r.Fatalf("the last observation was not what is known: %+v", history)
			}
		})
	}},
	{"observations of a pull request end the same in whatever order they come (F3, T21)", func(w *world) {
		number := 100
		rapid.Check(w.T, func(r *rapid.T) {
			number++
			history := []promotion.Pull{}
			states := rapid.SampledFrom([]promotion.PullState{promotion.PullOpen, promotion.PullClosed})
			for i, state := range rapid.SliceOfN(states, 1, 4).Draw(r, "states") {
				history = append(history, promotion.Pull{
					Repo: home, Number: number, Head: fmt.Sprintf("waybill/%d", number), HeadSHA: promotion.SHA(fmt.Sprint("h", i)),
					Base: "main", State: state, Updated: start.Add(time.Duration(i) * time.Second),
				})
			}
			last := &history[len(history)-1]
			if rapid.Bool().Draw(r, "merged") {
				last.State, last.MergeSHA, last.MergedAt = promotion.PullMerged, "m", last.Updated
			}
			for _, p := range again(r, history) {
				w.see(p)
			}
			if known := w.pull(number); known.State != last.State || known.HeadSHA != last.HeadSHA {
				r.Fatalf("%s at %s is known, GitHub said %s at %s last", known.State, known.HeadSHA, last.State, last.HeadSHA)
			}
		})
	}},
}

// again repeats parts of a history and shuffles it. No part is missing.
func again[T any](r *rapid.T, history []T) []T {
	twice := append(history[:len(history):len(history)], history...)
	return rapid.Permutation(twice).Draw(r, "order")
}
