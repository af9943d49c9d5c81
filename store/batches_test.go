package store_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

// TestASnapshotIsReadInFiveBatches reads a snapshot without an empty part.
func TestASnapshotIsReadInFiveBatches(t *testing.T) {
	t.Parallel()
	var sent store.Sent
	w := newWorldWith(t, store.Counting(store.Options{}, &sent))
	w.busy()
	s := w.snapshot(prod)
	w.LessOrEqual(sent.Batches, 2*5, "it is read twice, and compared")
	w.Zero(sent.Alone, "statements outside of batches")

	for result, value := range reflect.ValueOf(*s).Fields() {
		if result.Name != "Removed" && result.Name != "Look" { // these are not read from the database
			w.False(value.IsZero(), "%s is empty", result.Name)
		}
	}
	w.Equal(promotion.Passed, s.Records[0][0].Verdict, "in the stage upstream")
	w.Len(s.Records[0], len(s.Freight))
	w.Equal(promotion.Number(2), s.Deployments[0].Promotion, "which only a request names")
	w.Len(s.Evidence, 2, "of what is hosted, and of what is about to be")
	for i, head := range []promotion.SHA{"m27", "m29"} {
		w.Equal(head, s.Evidence[i].Head)
		w.Len(s.Evidence[i].Runs, 1)
		w.Len(s.Evidence[i].Suites, 1)
	}
}

// busy gives prod a long past, waiting freight, a merged pull request, and rows for every other part of a snapshot.
func (w *world) busy() {
	w.Helper()
	w.unshared()
	other := otherOn(samplePipeline(), promotion.Branch{Repo: home, Name: "main"})
	other.Stage(prod).Targets[0].Verify = w.pipeline.Stage(prod).Targets[0].Verify
	w.save(otherRow(), other)
	w.settle()
	w.update(func(tx *store.Tx) error {
		for i := range 60 {
			if _, err := tx.Freight.Record(pipeline, freightNo(i+1)); err != nil {
				return err
			}
		}
		return nil
	})
	w.host(dev, 1, freightNo(1), "m1")
	w.leave(dev, 1)
	for i := 1; i <= 25; i++ {
		w.pass(prod, promotion.Number(i+1), freightNo(i))
	}
	hosted := w.read(26)
	hosted.State, hosted.Ended = promotion.Succeeded, w.clock.Now()
	w.apply(prod, promotion.Decision{
		Promotions: []promotion.Promotion{hosted},
		Holds:      []promotion.Hold{{ID: 1, Stage: prod, At: start}},
		Approvals:  []promotion.Approval{w.approval(1, promotion.SignOff)},
		Rejects: []promotion.Reject{{ID: 3, Stage: dev, At: start,
			From: promotion.Mark{Warehouse: "api", Merged: start}}},
	})
	w.reopen(prod, 27, freightNo(26), 10)
	pull := w.open(prod, 28, freightNo(27), 11)
	pull.State, pull.MergeSHA, pull.MergedAt = promotion.PullMerged, "m28", w.clock.Now()
	w.see(pull)
	w.push("m26", "m27", "README.md")
	w.push("m27", "m28", "values.yaml")
	w.push("m28", "m29", "README.md")
	w.push("m29", "m30", "values.yaml")
	for i, sha := range []promotion.SHA{"m26", "m28", "m30"} {
		run := check(int64(i+1), sha, "cancelled")
		run.Name, run.Suite = "e2e", int64(i+50)
		w.signal(run)
		w.suite(promotion.Suite{Repo: home, ID: run.Suite, SHA: sha, App: run.App})
	}
	w.update(func(tx *store.Tx) error {
		for i := range 25 {
			_, err := tx.Requests.Record(pipeline, promotion.Request{At: start,
				Command: promotion.Command{Verb: promotion.CmdRollback, Stage: prod, Freight: fmt.Sprint("#", i+1)}})
			if err != nil {
				return err
			}
		}
		if err := tx.Readings.Record(key(prod), readingAt("m30", "one")); err != nil {
			return err
		}
		return tx.Readiness.Record(key(prod), promotion.Readiness{At: start}, 0)
	})
	w.want(prod, plan(28, 1))
	refused := w.claim()
	w.update(func(tx *store.Tx) error {
		err := tx.Outbox.RejectEffect(refused, promotion.Rejection{Words: "no", Since: start, Until: w.clock.Now()})
		if err != nil {
			return err
		}
		return tx.Outbox.RetryEffect(refused, "no", w.clock.Now())
	})
	ready := promotion.Condition{Kind: promotion.KindStatus, Name: "up"}
	w.pipeline.Stage(prod).Targets[0].Ready = []promotion.Condition{ready}
}

// reopen declines a promotion, whose pull request a person then opens again.
func (w *world) reopen(stage string, n promotion.Number, f promotion.Freight, number int) promotion.Pull {
	w.Helper()
	pull := w.open(stage, n, f, number)
	declined := w.read(n)
	declined.State, declined.Ended = promotion.Declined, w.clock.Now()
	w.apply(stage, promotion.Decision{Promotions: []promotion.Promotion{declined}})
	for _, state := range []promotion.PullState{promotion.PullClosed, promotion.PullOpen} {
		w.clock.advance(time.Second)
		pull.State, pull.Updated = state, w.clock.Now()
		w.True(w.see(pull))
	}
	return pull
}
