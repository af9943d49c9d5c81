package store_test

import (
	"fmt"
	"slices"
	"testing"

	"waybill/promotion"
	"waybill/store"
)

// spread gives dev two targets, one of them with files in another repository, and rolls freight out to both: us-1 with
// m1 and then eu-1 with e1.
func (w *world) spread() {
	w.Helper()
	s := w.pipeline.Stage(dev)
	s.Targets = []promotion.Target{{Name: "us-1"}, {Name: "eu-1", Files: live}}
	w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
	p := rolling(w, w.merge(1), 1)
	p.Rollout.Targets = []promotion.TargetName{"us-1"}
	w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
	p = w.read(1)
	next := *p.Rollout
	next.Step, next.Targets = 2, []promotion.TargetName{"eu-1"}
	p.Rollout = &next
	w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}, Deployments: []promotion.Deployment{{
		Promotion: 1, Stage: dev, Warehouse: "api", Freight: p.Freight.ID, Entered: start, Commit: "e1",
		Results: []promotion.TargetResult{{Target: "us-1", Step: 1, Commit: "m1"}, {Target: "eu-1", Step: 2, Commit: "e1"}},
	}}})
	w.settle()
}

func TestSpread(t *testing.T) { prove(t, spreads) }

var spreads = []test{
	{"each step of a promotion is written down with the branch that it goes to", func(w *world) {
		w.spread()
		w.Equal(live, w.attempt(1).Files)
		w.view(func(tx *store.Tx) error {
			past, err := tx.Attempts.Past(pipeline, 1, 1)
			w.Equal(promotion.Branch{Repo: home, Name: "main"}, past.Files)
			return err
		})
	}},
	{"a merge goes into the lane of the branch that the step writes to", func(w *world) {
		w.spread()
		w.pipeline.Stage(prod).Files = live
		w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
		w.settle()
		w.want(dev, merge(dev, 1))
		w.want(prod, merge(prod, 2))
		w.NotNil(w.claim())
		w.Nil(w.claim())
	}},
	{"a stage hears of pushes to all of its branches, and each branch is watched from what was brought there",
		func(w *world) {
			w.spread()
			elsewhere := func(before, after promotion.SHA) {
				w.update(func(tx *store.Tx) error {
					_, err := tx.Branches.RecordPush(promotion.Push{
						Repo: live.Repo, Branch: live.Name, Before: before, After: after, At: tx.Now, Paths: []string{"x"},
					})
					return err
				})
			}
			elsewhere("e1", "e2")
			w.Equal([]string{dev}, w.undecided())
			w.settle()
			w.push("m1", "m2", "x")
			w.Equal([]string{dev}, w.undecided())
			w.view(func(tx *store.Tx) error {
				here, err := tx.Deployments.Watched(pipeline, 1, promotion.Branch{Repo: home, Name: "main"})
				w.Equal([]promotion.SHA{"m1", "m2"}, here)
				if err != nil {
					return err
				}
				there, err := tx.Deployments.Watched(pipeline, 1, live)
				w.Equal([]promotion.SHA{"e1", "e2"}, there)
				if err != nil {
					return err
				}
				nowhere, err := tx.Deployments.Watched(pipeline, 1, promotion.Branch{Repo: live.Repo, Name: "main"})
				w.Empty(nowhere)
				return err
			})
		}},
	{"what has come to one branch is on no other, though the next step goes there", func(w *world) {
		w.spread()
		p := w.read(1)
		next := *p.Rollout
		next.Step, next.Targets = 3, []promotion.TargetName{"us-1"}
		p.Rollout = &next
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		w.Equal(promotion.Branch{Repo: home, Name: "main"}, w.attempt(1).Files)
		w.view(func(tx *store.Tx) error {
			here, err := tx.Deployments.Watched(pipeline, 1, promotion.Branch{Repo: home, Name: "main"})
			w.Equal([]promotion.SHA{"m1"}, here)
			if err != nil {
				return err
			}
			there, err := tx.Deployments.Watched(pipeline, 1, live)
			w.Equal([]promotion.SHA{"e1"}, there)
			return err
		})
		w.reads(readingAt("m1", "one"))
		w.Len(w.snapshot(dev).Readings, 1, "nothing that came elsewhere hides it")
	}},
	{"signals of a repository judge the targets whose files are there", func(w *world) {
		w.spread()
		for i := range w.pipeline.Stage(dev).Targets {
			w.pipeline.Stage(dev).Targets[i].Verify = []promotion.Matcher{{Kind: promotion.KindStatus, Pattern: "smoke"}}
		}
		w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
		for i, at := range []struct {
			repo promotion.Repo
			sha  promotion.SHA
		}{{home, "m1"}, {live.Repo, "e1"}, {live.Repo, "m1"}} {
			w.True(w.signal(promotion.Signal{
				Repo: at.repo, Kind: promotion.KindStatus, ID: int64(i + 1), SHA: at.sha, Name: "smoke", State: "success",
				Observed: start,
			}))
		}
		var heard []string
		for _, e := range w.snapshot(dev).Evidence {
			for _, s := range e.Runs {
				heard = append(heard, fmt.Sprint(e.Target, " ", s.Repo, " ", s.SHA))
			}
		}
		slices.Sort(heard)
		w.Equal([]string{"eu-1 acme/eu e1", "us-1 acme/deploy m1"}, heard)
	}},
	{"a plan that finds files missing says so of the branch that it was made for, and of no other", func(w *world) {
		w.spread()
		w.reads(promotion.Reading{
			On: live, Commit: "e1", Values: []promotion.Value{{Files: live, Path: "values.yaml", Key: "tag", Text: "1"}},
		})
		w.reads(readingAt("m1", "one"))
		w.update(func(tx *store.Tx) error {
			plan := promotion.Plan{Round: 9, Base: "e2", Absent: []promotion.TargetName{"eu-1"}}
			return tx.Plans.Save(pipeline, 1, plan, nil)
		})
		w.Len(w.snapshot(dev).Readings, 1)
		w.Equal(promotion.Branch{Repo: home, Name: "main"}, w.snapshot(dev).Readings[0].On)
	}},
	{"what is read on one branch says nothing of another, and is forgotten with the branch", func(w *world) {
		w.spread()
		w.reads(promotion.Reading{
			On: live, Commit: "e1", Values: []promotion.Value{{Files: live, Path: "values.yaml", Key: "tag", Text: "1"}},
		})
		w.reads(readingAt("m1", "one"))
		w.Len(w.snapshot(dev).Readings, 2)
		w.push("m1", "m2", "values.yaml")
		w.Equal([]promotion.Branch{live}, []promotion.Branch{w.snapshot(dev).Readings[0].On})
		w.Equal(live, w.snapshot(dev).Readings[0].Values[0].Files)
		w.Equal([]store.Unread{{Stage: dev}}, w.unread("m2"))
		w.pipeline.Stage(dev).Targets = w.pipeline.Stage(dev).Targets[:1]
		w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
		w.Empty(w.snapshot(dev).Readings)
	}},
}
