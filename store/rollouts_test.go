package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

// rolling is promotion 1 with its rollout at a step.
func rolling(w *world, f promotion.Freight, step int) promotion.Promotion {
	p := w.queued(dev, 1, f)
	p.State, p.Started = promotion.Running, start
	p.Rollout = &promotion.Rollout{
		Batches: []promotion.Batch{
			{Name: "canary", Targets: []promotion.TargetName{"eu-1"}, AtOnce: 1, Wait: 15 * time.Minute},
			{Name: "rest", Targets: []promotion.TargetName{"us-1", "us-2"}, AtOnce: 2, Approvals: 1},
		}, Step: step, Batch: step - 1, Targets: []promotion.TargetName{"eu-1"}, Waiting: []promotion.TargetName{"us-1"},
		Gone: []promotion.TargetName{"us-2"}, Skipped: []promotion.TargetName{"ap-1"},
		Paused: promotion.Actor{ID: 5, Login: "ann"}, Merged: 2, Entered: []int{0, 1},
	}
	p.Only = []promotion.TargetName{"eu-1", "us-1"}
	return p
}

func TestRollouts(t *testing.T) { prove(t, rollouts) }

var rollouts = []test{
	{"a rollout and what it brought to its targets are read back as they were written", func(w *world) {
		p := rolling(w, w.merge(1), 1)
		deployment := promotion.Deployment{
			Promotion: 1, Stage: dev, Warehouse: "api", Freight: p.Freight.ID, Entered: start, Commit: "m1", Incomplete: true,
			Results: []promotion.TargetResult{
				{Target: "eu-1", Step: 1, Commit: "m1", Since: start, Verdict: promotion.Bad, Judged: start.Add(time.Second),
					Cause: promotion.Because(promotion.FailedCheck, "smoke").At("https://y")},
				{Target: "us-1", Step: 2, Commit: "m2"},
			},
		}
		w.apply(dev, promotion.Decision{
			Promotions: []promotion.Promotion{p}, Deployments: []promotion.Deployment{deployment},
		})
		s := w.snapshot(dev)
		p.Version = 1
		w.Equal([]promotion.Promotion{p}, s.Promotions)
		w.Equal([]promotion.Deployment{deployment}, s.Deployments)
		w.view(func(tx *store.Tx) error {
			results, err := tx.Deployments.Results(pipeline, 1)
			w.Equal(deployment.Results, results)
			return err
		})
	}},
	{"a further step has an attempt of its own, and what became of the one before is kept", func(w *world) {
		p := rolling(w, w.merge(1), 1)
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		w.Equal(1, w.attempt(1).Step)
		w.plan(1, 1)
		w.update(func(tx *store.Tx) error {
			if err := tx.Plans.SaveCommit(pipeline, 1, 1, 1, "waybill/dev/1-canary-1", "b1", "h1"); err != nil {
				return err
			}
			return tx.Attempts.SaveOpened(pipeline, 1, 1, promotion.Pull{
				Repo: home, Number: 7, Head: "waybill/dev/1-canary-1", HeadSHA: "h1", Base: "main", State: promotion.PullOpen,
				URL: "https://x", Updated: start,
			})
		})
		w.Equal(7, w.attempt(1).Pull)
		p = w.read(1)
		next := *p.Rollout
		next.Step, next.Batch, next.Targets = 2, 1, []promotion.TargetName{"us-1"}
		p.Rollout = &next
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		w.Equal(promotion.Attempt{Promotion: 1, Step: 2, Files: promotion.Branch{Repo: home, Name: "main"}}, w.attempt(1))
		w.view(func(tx *store.Tx) error {
			steps, err := tx.Attempts.Steps(pipeline, 1)
			w.Equal([]store.PastStep{{Number: 1, Pull: 7, URL: "https://x"}}, steps)
			if err != nil {
				return err
			}
			past, err := tx.Attempts.Past(pipeline, 1, 1)
			w.Equal(promotion.Attempt{Promotion: 1, Step: 1, Files: promotion.Branch{
				Repo: home, Name: "main",
			}, Branch: "waybill/dev/1-canary-1", Made: promotion.Made{Base: "b1", Head: "h1", URL: "https://x"}, Pull: 7}, past)
			return err
		})
	}},
	{"an effect of one step is not that of another", func(w *world) {
		p := rolling(w, w.merge(1), 1)
		wanted := promotion.Effect{Verb: promotion.PlanVerb, Stage: dev, Promotion: 1, Step: 1, Round: 1}
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}, Wanted: []promotion.Effect{wanted}})
		w.settle()
		w.update(func(tx *store.Tx) error {
			e, _, err := tx.Outbox.ClaimEffect(aMinute)
			w.Equal(wanted, e.Effect)
			if err == nil {
				err = tx.Outbox.FinishEffect(e, "")
			}
			return err
		})
		wanted.Step = 2
		w.apply(dev, promotion.Decision{Wanted: []promotion.Effect{wanted}})
		w.update(func(tx *store.Tx) error {
			e, _, err := tx.Outbox.ClaimEffect(aMinute)
			w.Equal(wanted, e.Effect)
			return err
		})
	}},
}
