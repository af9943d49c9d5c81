package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestSnapshots(t *testing.T) { prove(t, snapshots) }

var snapshots = []test{
	{"a stage without a past sees all freight, oldest first", func(w *world) {
		w.merge(2)
		w.merge(1)
		s := w.snapshot(dev)
		w.Equal([]string{"api#1", "api#2"}, names(s.Freight))
		w.Empty(s.Newest)
		w.Equal(promotion.Number(1), s.Next)
		w.Equal(int64(1), s.NextID)
	}},
	{"the mark is the newest freight in the order of the warehouse, not the latest promotion", func(w *world) {
		one, two := w.merge(1), w.merge(2)
		w.pass(dev, 1, two)
		w.pass(dev, 2, one)
		s := w.snapshot(dev)
		w.Equal([]promotion.Mark{{Warehouse: "api", Merged: two.Merged, Number: 2}}, s.Newest)
		w.Equal([]string{"api#1", "api#2"}, names(s.Freight), "what deployments and promotions name")
	}},
	{"a promotion is read with the state of it on GitHub and its freight", func(w *world) {
		f := w.merge(1)
		opened := w.open(dev, 1, f, 11)
		w.view(func(tx *store.Tx) error {
			p, a, of, err := tx.Attempts.WithFreight(pipeline, 1)
			w.Equal(w.snapshot(dev).Promotions, []promotion.Promotion{p})
			w.Equal(w.snapshot(dev).Attempts, []promotion.Attempt{a})
			w.Equal(opened.Number, a.Pull)
			w.Equal(f.ID, of.ID)
			w.NoError(err)
			_, _, _, err = tx.Attempts.WithFreight(pipeline, 2)
			w.ErrorIs(err, store.ErrNotFound)
			return nil
		})
	}},
	{"a transaction sees what it has written of a stage", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		w.Equal(1, w.snapshot(dev).Attempts[0].Plan.Round)
		w.update(func(tx *store.Tx) error {
			err := tx.Plans.Save(pipeline, 1, promotion.Plan{Round: 2, Base: "b2", At: tx.Now}, nil)
			w.NoError(err)
			s, err := tx.Ledger.Snapshot(w.pipeline, key(dev))
			w.NoError(err)
			w.Equal(2, s.Attempts[0].Plan.Round)
			return nil
		})
	}},
	{"a record sums up what an upstream stage knows, through a pass-through stage", func(w *world) {
		one := w.merge(1)
		w.host(dev, 1, one, "m1")
		two := w.merge(2)
		w.clock.advance(time.Hour)
		w.leave(dev, 1)
		w.host(dev, 2, two, "m2")
		s := w.snapshot(prod)
		w.Equal([]string{"api#1", "api#2"}, names(s.Freight))
		w.Equal(promotion.Passed, s.Records[0][0].Verdict)
		w.Equal(promotion.Pending, s.Records[0][1].Verdict)
		w.Nil(s.Records[1], "a pass-through stage has no deployments")
		w.Nil(s.Records[2], "a stage does not depend on itself")
	}},
	{"records are the same for freight that is new to a stage and freight that is not", func(w *world) {
		one := w.merge(1)
		w.host(dev, 1, one, "m1")
		w.leave(dev, 1)
		before := w.snapshot(prod).Records[0][0]
		w.host(prod, 2, one, "m2")
		p := w.read(2)
		p.State, p.Ended = promotion.Succeeded, w.clock.Now()
		w.apply(prod, promotion.Decision{Promotions: []promotion.Promotion{p}})
		s := w.snapshot(prod)
		w.Equal([]string{"api#1"}, names(s.Freight))
		w.Equal(before, s.Records[0][0])
	}},
	{"what is on its way upstream, and how far that has come, is known where a promotion is open", func(w *world) {
		one, two := w.merge(1), w.merge(2)
		w.host(dev, 1, one, "m1")
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 2, two)}})
		w.open(prod, 3, one, 11)
		of := func() (of []string) {
			s := w.snapshot(prod)
			for i, r := range s.Records[0] {
				of = append(of, fmt.Sprint(s.Freight[i].Name, " hosted ", r.Hosted, " coming ", r.Coming, " taken ", r.Taken))
			}
			return of
		}
		w.Equal([]string{"api#1 hosted true coming true taken true", "api#2 hosted false coming true taken true"}, of(),
			"the decision that has something wait behind p3 must know")
		w.apply(prod, promotion.Decision{Promotions: []promotion.Promotion{w.queued(prod, 4, two)}})
		w.merge(3)
		w.Equal([]string{"api#1 hosted true coming true taken true", "api#2 hosted false coming true taken true",
			"api#3 hosted false coming false taken false"}, of())
	}},
	{"the promotion of what a stage hosts is there, however many have ended since", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		failed := w.read(1)
		failed.State, failed.Ended = promotion.VerificationFailed, w.clock.Now()
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{failed}})
		for n := promotion.Number(2); n < 40; n++ {
			p := w.queued(dev, n, w.merge(int(n)))
			w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
			p = w.read(n)
			p.State, p.Ended = promotion.Superseded, w.clock.Now()
			w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		}
		s := w.snapshot(dev)
		w.Len(s.Promotions, 21)
		w.Equal(promotion.VerificationFailed, s.Promotions[0].State)
		w.Equal(promotion.Number(39), s.Shown().Number)
	}},
	{"signals of a merge that has not been decided yet are in the snapshot", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		w.signal(check(1, "m1", "success"))
		p.State, p.MergeSHA, p.MergedAt = promotion.PullMerged, "m1", start
		w.see(p)
		w.Len(w.runs(dev), 1)
	}},
	{"rejects of every stage of the pipeline are there until they are lifted", func(w *world) {
		f := w.merge(1)
		r := promotion.Reject{ID: 1, Stage: dev, Freight: f.Ref(), From: f.Mark(), By: promotion.Actor{ID: 5, Login: "ann"},
			Text: "it burns", At: start}
		says := func(want ...promotion.Reject) {
			w.apply(dev, promotion.Decision{Rejects: []promotion.Reject{r}})
			w.Equal([]string{"gate", prod}, w.undecided())
			w.settle()
			w.Equal(want, w.snapshot(prod).Rejects)
			w.view(func(tx *store.Tx) error {
				all, err := tx.Ledger.Rejects(pipeline)
				w.Equal(want, all)
				return err
			})
		}
		says(r)
		two := w.merge(2)
		w.settle()
		r.FixedBy, r.Fixed = two.Name, two.Mark()
		says(r)
		r.Lifted, r.LiftedBy = start, promotion.Actor{ID: 6, Login: "bob"}
		says()
	}},
	{"holds of every stage of the pipeline are there until they are lifted", func(w *world) {
		h := promotion.Hold{
			ID: 1, Stage: prod, Target: "eu-1", By: promotion.Actor{ID: 5, Login: "ann"},
			Reason: promotion.Because(promotion.Asked, "ann"), Text: "wait", At: start, Until: start.Add(time.Hour),
		}
		w.apply(prod, promotion.Decision{Holds: []promotion.Hold{h}})
		w.Equal([]promotion.Hold{h}, w.snapshot(dev).Holds)
		w.Equal(int64(2), w.snapshot(dev).NextID)
		other := promotion.Hold{ID: 2, Stage: prod, Warehouse: "api", At: start}
		w.apply(prod, promotion.Decision{Holds: []promotion.Hold{other}})
		w.Equal([]promotion.Hold{h, other}, w.snapshot(dev).Holds)
		other.Lifted = start
		w.apply(prod, promotion.Decision{Holds: []promotion.Hold{other}})
		h.Lifted, h.LiftedBy = start, promotion.Actor{ID: 6, Login: "bob"}
		w.apply(prod, promotion.Decision{Holds: []promotion.Hold{h}})
		w.Empty(w.snapshot(dev).Holds)
	}},
	{"a hold of the whole pipeline has every other stage decided again", func(w *world) {
		w.apply(dev,
			promotion.Decision{Holds: []promotion.Hold{{ID: 1, At: start, By: promotion.Actor{ID: 5, Login: "ann"}}}})
		w.Equal([]string{"gate", prod}, w.undecided())
	}},
	{"sign-offs are there until they expire, and their freight with them", func(w *world) {
		a := w.approval(1, promotion.SignOff)
		w.apply(prod, promotion.Decision{Approvals: []promotion.Approval{a}})
		s := w.snapshot(prod)
		w.Equal([]promotion.Approval{a}, s.Approvals)
		w.Equal([]string{"api#1"}, names(s.Freight))
		w.clock.advance(time.Hour)
		w.Empty(w.snapshot(prod).Approvals)
		a.ID, a.At, a.Expires = 2, w.clock.Now(), w.clock.Now().Add(time.Hour)
		w.apply(prod, promotion.Decision{Approvals: []promotion.Approval{a}})
		w.Equal([]promotion.Approval{a}, w.snapshot(prod).Approvals, "the same person may again")
	}},
	{"admissions are there until their end has been decided (A11)", func(w *world) {
		a := w.approval(1, promotion.Admission)
		w.apply(prod, promotion.Decision{Approvals: []promotion.Approval{a}})
		w.clock.advance(time.Hour)
		w.Equal([]promotion.Approval{a}, w.snapshot(prod).Approvals)
		a.Revoked = w.clock.Now()
		w.apply(prod, promotion.Decision{Approvals: []promotion.Approval{a}})
		w.Empty(w.snapshot(prod).Approvals)
	}},
	{"a giver who has lost the right concerns the stage (T16)", func(w *world) {
		w.apply(prod, promotion.Decision{Approvals: []promotion.Approval{w.approval(1, promotion.SignOff)}})
		w.settle()
		w.update(func(tx *store.Tx) error { return tx.Ledger.SaveEntitled(pipeline, 1, false) })
		w.Equal([]string{prod}, w.undecided())
		w.False(w.snapshot(prod).Approvals[0].Entitled)
		w.view(func(tx *store.Tx) error {
			all, err := tx.Ledger.StandingApprovals(pipeline)
			w.Len(all, 1)
			return err
		})
	}},
	{"what a promotion without changes was planned on plays no part once it has ended", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		w.update(func(tx *store.Tx) error {
			return tx.Plans.Save(pipeline, 1, promotion.Plan{Round: 2, Base: "b1", At: tx.Now}, nil)
		})
		w.signal(check(1, "b1", "success"))
		w.Len(w.runs(dev), 1)
		p := w.read(1)
		p.State, p.Ended = promotion.Cancelled, start
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		w.Empty(w.runs(dev))
	}},
	{"a promotion, a deployment and their reasons are read back as they were written", func(w *world) {
		f := w.merge(1)
		p := promotion.Promotion{
			Number: 1, Stage: dev, Freight: promotion.FreightRef{Warehouse: "api", ID: f.ID, Name: f.Name},
			Class: promotion.Rollback, State: promotion.Verifying,
			Reason: promotion.Because(promotion.Inconclusive, "smoke").At("https://x").With("detail"),
			By:     promotion.Actor{ID: 5, Login: "ann"}, Cause: 0, Queued: start, Started: start.Add(1),
			Merged: start.Add(time.Second), MergeSHA: "m1", Pins: true, Rollout: oneStep(),
		}
		hosted := promotion.Deployment{
			Promotion: 1, Stage: dev, Warehouse: "api", Freight: f.ID, Entered: start, Verdict: promotion.Bad,
			Judged: start.Add(time.Second), Cause: promotion.Because(promotion.FailedCheck, "smoke").At("https://y"),
			JudgedBy: promotion.Actor{ID: 6, Login: "bob"}, Plan: "x", Commit: "m1", Since: start, Results: onePart("m1", start),
		}
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}, Deployments: []promotion.Deployment{hosted}})
		s := w.snapshot(dev)
		p.Version, p.Started = 1, start // stored in microseconds
		w.Equal([]promotion.Promotion{p}, s.Promotions)
		w.Equal([]promotion.Deployment{hosted}, s.Deployments)
	}},
	{"a stage that was never saved has no snapshot", func(w *world) {
		err := w.store.View(context.Background(),
			func(tx *store.Tx) error { _, err := tx.Ledger.Snapshot(w.pipeline, key("none")); return err })
		w.ErrorIs(err, store.ErrUnknownStage)
	}},
	{"a removed stage still has what it hosts and what is open", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.save(row(), nil)
		s := w.snapshotOf(nil, dev)
		w.True(s.Removed)
		w.Len(s.Promotions, 1)
		w.Equal([]string{"api#1"}, names(s.Freight))
	}},
}

func (w *world) snapshotOf(p *promotion.Pipeline, stage string) (s *promotion.Snapshot) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		s, err = tx.Ledger.Snapshot(p, key(stage))
		return err
	})
	return s
}

// approval is an approval by ann of the first freight that lasts an hour.
func (w *world) approval(id int64, kind promotion.ApprovalKind) promotion.Approval {
	w.Helper()
	return promotion.Approval{
		ID: id, Stage: prod, Freight: w.merge(1).ID, Kind: kind, By: promotion.Actor{ID: 5, Login: "ann"}, Text: "hotfix",
		At: start, Expires: start.Add(time.Hour), Entitled: true,
	}
}
