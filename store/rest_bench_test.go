package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion/decide"
	"waybill/store"
)

// pushesAtRest returns the number of pushes to the branch of a stage since its deployment. Each has ten check runs. The
// full number is a hundred days of a repository with two hundred commits a day.
func pushesAtRest() int { return inShort(2_000, 20_000) }

// inShort returns short in short mode, and usual otherwise.
func inShort(short, usual int) int {
	if testing.Short() {
		return short
	}
	return usual
}

// newRested makes twenty stages that have been at rest during this many pushes with ten check runs each.
func newRested(b *testing.B, pushes int) *resting {
	r := newResting(b, 20)
	r.grow(pushes, 10)
	r.settle()
	return r
}

// BenchmarkDecideAtRest compares a stage at rest since many pushes with one at rest since none. It measures a decision,
// a check run that a stage waits for, one that no stage waits for, and a push. The two stages take turns.
func BenchmarkDecideAtRest(b *testing.B) {
	pushes := pushesAtRest()
	fresh, rested := newRested(b, 0), newRested(b, pushes)
	for _, compared := range []struct {
		what      string
		do        func(*resting) error
		undecided int // stages that are undecided afterwards
	}{
		{"decision", (*resting).decideAgain, 0},
		{"check run that no stage waits for", func(r *resting) error { return r.takeIn("unrelated lint") }, 0},
		{"check run that a stage waits for", func(r *resting) error { return r.takeIn("e2e-0") }, 1},
		{"push of a file of no stage", func(r *resting) error {
			return r.store.Update(context.Background(), func(tx *store.Tx) error {
				return r.push(tx, start, "other.yaml")
			})
		}, 1}, // the one of the check run
	} {
		do := compared.do
		b.Run(compared.what, func(b *testing.B) {
			compare(b, "rested:fresh", turn{"0-pushes", func() error { return do(fresh) }},
				turn{fmt.Sprint(pushes, "-pushes"), func() error { return do(rested) }})
			require.Equal(b, compared.undecided, rested.undecided())
		})
	}
}

// turn is one of two operations that are compared.
type turn struct {
	name string
	do   func() error
}

// compare runs two operations in turn. It reports the median time of each, and the ratio of the second to the first.
func compare(b *testing.B, ratio string, first, second turn) {
	times := make([][]time.Duration, 2)
	for b.Loop() {
		for i, t := range []turn{first, second} {
			times[i] = append(times[i], took(b, t.do))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(microseconds(times[0], 50), "µs-of-"+first.name)
	b.ReportMetric(microseconds(times[1], 50), "µs-of-"+second.name)
	b.ReportMetric(microseconds(times[1], 50)/microseconds(times[0], 50), ratio)
}

func took(b *testing.B, do func() error) time.Duration {
	begun := time.Now()
	require.NoError(b, do())
	return time.Since(begun)
}

// microseconds returns a percentile.
func microseconds(all []time.Duration, percent int) float64 {
	slices.Sort(all)
	return float64(all[len(all)*percent/100].Nanoseconds()) / 1000
}

// decideAgain decides the first stage as the server does: it reads the snapshot before the transaction that writes.
func (r *resting) decideAgain() error {
	ctx, first := context.Background(), key("s0")
	if err := r.store.Update(ctx, func(tx *store.Tx) error { return tx.Stages.Touch(first) }); err != nil {
		return err
	}
	var basis store.Basis
	var now time.Time
	if err := r.store.View(ctx, func(tx *store.Tx) (err error) {
		now = tx.Now
		basis, err = tx.Ledger.Basis(r.pipeline, first)
		return err
	}); err != nil {
		return err
	}
	d := decide.Decide(basis.Snapshot, now)
	return r.store.Update(ctx, func(tx *store.Tx) error { return tx.Ledger.Apply(basis, d) })
}

// takeIn records a check run on the newest head.
func (r *resting) takeIn(name string) error {
	return r.store.Update(context.Background(), func(tx *store.Tx) error { return r.check(tx, name, start) })
}

// acknowledged is the number of webhooks in one operation of BenchmarkAcceptWhileDeciding.
const acknowledged = 200

// BenchmarkAcceptWhileDeciding measures how long the database takes to accept a webhook while one stage is decided
// again and again, and while none is. It compares a stage at rest since many pushes with one at rest since none. The
// two take turns.
func BenchmarkAcceptWhileDeciding(b *testing.B) {
	pushes := pushesAtRest()
	fresh, rested := newRested(b, 0), newRested(b, pushes)
	b.Run(fmt.Sprint("at rest since ", pushes, " pushes"), func(b *testing.B) {
		var quiet, few, many []time.Duration
		for b.Loop() {
			quiet = append(quiet, rested.accept(b)...)
			few = append(few, fresh.acceptWhileDeciding(b)...)
			many = append(many, rested.acceptWhileDeciding(b)...)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(microseconds(quiet, 50), "µs-p50-quiet")
		b.ReportMetric(microseconds(quiet, 99), "µs-p99-quiet")
		b.ReportMetric(microseconds(many, 50), "µs-p50-deciding")
		b.ReportMetric(microseconds(many, 99), "µs-p99-deciding")
		b.ReportMetric(microseconds(many, 50)/microseconds(few, 50), "rested:fresh-p50")
		b.ReportMetric(microseconds(many, 99)/microseconds(few, 99), "rested:fresh-p99")
	})
}

// accept accepts some webhooks one by one, and returns the duration of each.
func (r *resting) accept(b *testing.B) (all []time.Duration) {
	for range acknowledged {
		r.ids++
		d := store.Delivery{Source: "github", GUID: fmt.Sprint(r.ids), Event: "push", Body: store.Noise(payload)}
		all = append(all, took(b, func() error { _, err := r.store.Accept(b.Context(), d); return err }))
	}
	return all
}

// acceptWhileDeciding is accept while the first stage is decided again and again.
func (r *resting) acceptWhileDeciding(b *testing.B) []time.Duration {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		var err error
		for ctx.Err() == nil && err == nil {
			err = r.decideAgain()
		}
		ended <- err
	}()
	all := r.accept(b)
	stop()
	require.NoError(b, <-ended)
	return all
}
