package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestReadings(t *testing.T) { prove(t, readings) }

var readings = []test{
	{"what the files of a stage say concerns it, and the same again does not", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.Empty(w.snapshot(dev).Readings)
		r := readingAt("m1", "one")
		r.By = promotion.Actor{ID: 5, Login: "ann"}
		w.reads(r)
		w.Equal([]string{dev}, w.undecided())
		w.Equal(promotion.SHA("m1"), w.readAt(r.On))
		w.Equal([]promotion.Reading{r}, w.snapshot(dev).Readings)
		w.settle()
		w.reads(r)
		w.Empty(w.undecided())
		w.reads(readingAt("m1", "two"))
		w.Equal([]string{dev}, w.undecided())
	}},
	{"a push that leaves the files alone takes along what they say, one that touches them does not", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.reads(readingAt("m1", "one"))
		w.push("m2", "m3", "README.md") // arrives before its turn
		w.push("m1", "m2", "README.md")
		w.Equal(promotion.SHA("m3"), w.readAt(readingAt("m1", "one").On))
		w.Equal(promotion.SHA("m1"), w.snapshot(dev).Readings[0].Commit, "pushes that do not concern dev change nothing")
		w.Empty(w.unread("m3"))
		w.push("m3", "m4", "values.yaml")
		w.Empty(w.snapshot(dev).Readings)
		w.Equal([]store.Unread{{Stage: dev}}, w.unread("m4"))
	}},
	{"a push into a folder that is copied changes what the folder holds, one beside it does not", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		r := readingAt("m1", "t1")
		r.Values = []promotion.Value{{Path: "deploy/dev", Key: promotion.EveryFile, Text: "t1"}}
		w.reads(r)
		w.push("m1", "m2", "deploy/development.yaml")
		w.Equal(promotion.SHA("m2"), w.readAt(r.On))
		w.push("m2", "m3", "deploy/dev/app.yaml")
		w.Empty(w.snapshot(dev).Readings)
	}},
	{"a branch that goes round in circles is followed to an end (F14)", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m2", "m1", "README.md")
		w.reads(readingAt("m1", "one"))
		w.push("m1", "m2", "README.md")
		w.NotEmpty(w.snapshot(dev).Readings)
	}},
	{"what was read of a head that is known to be old is not taken for what is (T21)", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m1", "m2", "values.yaml")
		w.reads(readingAt("m1", "one"))
		w.Empty(w.snapshot(dev).Readings)
		w.push("m2", "m1", "values.yaml")
		w.reads(readingAt("m1", "one"))
		w.NotEmpty(w.snapshot(dev).Readings, "somebody has pushed the old head again")
	}},
	{"what was read of a head that may not have the last promotion yet is not taken for what is", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.reads(readingAt("x", "before"))
		w.Empty(w.snapshot(dev).Readings, "GitHub may answer from a replica that is behind")
		w.clock.advance(6 * time.Minute)
		w.reads(readingAt("x", "after"))
		w.NotEmpty(w.snapshot(dev).Readings, "no replica is so far behind")
	}},
	{"what was read before a promotion is forgotten, what was read after it is not", func(w *world) {
		one, two, three := w.merge(1), w.merge(2), w.merge(3)
		w.host(dev, 1, one, "m1")
		w.reads(readingAt("m1", "one"))
		w.leave(dev, 1)
		w.host(dev, 2, two, "m2")
		w.Empty(w.snapshot(dev).Readings)
		w.push("m3", "m4", "README.md")
		w.push("m2", "m3", "values.yaml")
		w.reads(readingAt("m4", "three"))
		w.leave(dev, 2)
		w.host(dev, 3, three, "m3") // its merge is reported late
		w.NotEmpty(w.snapshot(dev).Readings)
	}},
	{"what was promoted, how it differs and what repairs it come back as they were", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		hosted := w.snapshot(dev).Deployments[0]
		hosted.Wrote = []promotion.Value{{Path: "values.yaml", Key: "tag", Text: "one"}}
		hosted.Drift = promotion.Drift{
			Says: []promotion.Value{{Path: "values.yaml", Key: "tag", Text: "two"}}, Commit: "m2", At: start,
			By: promotion.Actor{ID: 5, Login: "ann"}, Told: true, Repair: 2, Count: 3,
		}
		repair := w.queued(dev, 2, freightNo(1))
		repair.Automatic, repair.Repairs, repair.Cause = false, true, 1
		p := w.read(1)
		p.State, p.Ended = promotion.Succeeded, w.clock.Now()
		w.apply(dev,
			promotion.Decision{Deployments: []promotion.Deployment{hosted}, Promotions: []promotion.Promotion{p, repair}})
		w.Equal(hosted, w.snapshot(dev).Deployments[0])
		w.True(w.read(2).Repairs)
		hosted.Drift = promotion.Drift{Count: 3}
		w.apply(dev, promotion.Decision{Deployments: []promotion.Deployment{hosted}})
		w.Equal(hosted, w.snapshot(dev).Deployments[0])
		plan := promotion.Plan{Round: 1, Base: "b1", At: start, Values: hosted.Wrote}
		w.update(func(tx *store.Tx) error { return tx.Plans.Save(pipeline, 2, plan, nil) })
		w.Equal(plan.Values, w.snapshot(dev).Attempts[1].Plan.Values)
	}},
	{"a plan that finds files missing outdates what was read at another commit", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.reads(readingAt("m1", "one"))
		plan := promotion.Plan{Round: 1, Base: "m1", At: start, Absent: []promotion.TargetName{"eu-1"}}
		w.update(func(tx *store.Tx) error { return tx.Plans.Save(pipeline, 1, plan, nil) })
		w.NotEmpty(w.snapshot(dev).Readings, "it was read there itself")
		plan.Round, plan.Base = 2, "b2"
		w.update(func(tx *store.Tx) error { return tx.Plans.Save(pipeline, 1, plan, nil) })
		w.Empty(w.snapshot(dev).Readings)
	}},
	{"a plan that waits for a file outdates what was read, unless a push has come since", func(w *world) {
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 1, w.merge(1))}})
		w.reads(readingAt("m1", "one"))
		plan := promotion.Plan{Round: 1, Base: "m1", At: start, Problem: promotion.Because(promotion.Unreadable, "dev.yaml")}
		w.update(func(tx *store.Tx) error { return tx.Plans.Save(pipeline, 1, plan, nil) })
		w.Empty(w.snapshot(dev).Readings)
		w.Equal([]store.Unread{{Stage: dev, Waits: true}}, w.unread("m1"))
		w.reads(readingAt("m1", "one"))
		w.Empty(w.unread("m1"))
		w.push("m1", "m2", "dev.yaml")
		w.reads(readingAt("m2", "two"))
		plan.Round = 2
		w.update(func(tx *store.Tx) error { return tx.Plans.Save(pipeline, 1, plan, nil) })
		w.Equal(promotion.SHA("m2"), w.snapshot(dev).Readings[0].Commit)
		plan.Round, plan.Problem = 3, promotion.Reason{}
		w.update(func(tx *store.Tx) error { return tx.Plans.Save(pipeline, 1, plan, nil) })
		w.Empty(w.unread("m9"), "it waits for no file any more")
	}},
	{"what was read where a push has taken it along concerns the stage when it is read again", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.reads(readingAt("m1", "one"))
		w.push("m1", "m2", "README.md")
		w.settle()
		w.reads(readingAt("m2", "one"))
		w.Equal([]string{dev}, w.undecided())
		w.Equal(promotion.SHA("m2"), w.snapshot(dev).Readings[0].Commit)
	}},
}

// readingAt is a reading of values.yaml at a head.
func readingAt(head promotion.SHA, text string) promotion.Reading {
	return promotion.Reading{On: promotion.Branch{Repo: home, Name: "main"}, Commit: head,
		Values: []promotion.Value{{Path: "values.yaml", Key: "tag", Text: text}}}
}

// reads records a reading of the files of dev.
func (w *world) reads(r promotion.Reading) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return tx.Readings.Record(key(dev), r) })
}

// readAt is the commit at which the files of dev were read.
func (w *world) readAt(on promotion.Branch) (at promotion.SHA) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		at, err = tx.Readings.ReadAt(key(dev), on)
		return err
	})
	return at
}

// unread lists the stages whose files have not been read at a head.
func (w *world) unread(head promotion.SHA) (stages []store.Unread) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		stages, err = tx.Readings.Unread(pipeline, promotion.Branch{Repo: home, Name: "main"}, head)
		return err
	})
	return stages
}
