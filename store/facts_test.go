package store_test

import (
	"slices"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestFreight(t *testing.T) { prove(t, freight) }

var freight = []test{
	{"freight is recorded once and concerns the stages that take from its warehouse (F3)", func(w *world) {
		f := freightNo(1)
		for i := range 3 {
			w.update(func(tx *store.Tx) error {
				fresh, err := tx.Freight.Record(pipeline, f)
				w.Equal(i == 0, fresh)
				return err
			})
			if i == 0 {
				w.Equal([]string{dev, "gate", prod}, w.undecided())
				w.settle()
			}
		}
		w.Empty(w.undecided())
		w.view(func(tx *store.Tx) error {
			have, err := tx.Freight.ByID(pipeline, f.ID)
			w.Equal(f, have)
			return err
		})
	}},
	{"who has made freight is known better and better, and is nobody's news twice (T15)", func(w *world) {
		f := freightNo(1)
		f.Hands = promotion.Hands{Unread: true, All: []promotion.Hand{{Part: promotion.PusherPart, Text: "unknown"}}}
		told := f
		pushed := promotion.Hand{Part: promotion.PusherPart, By: promotion.Actor{ID: 5}}
		told.Hands = promotion.Hands{Unread: true, All: []promotion.Hand{pushed}}
		record := func(f promotion.Freight) func(tx *store.Tx) error {
			return func(tx *store.Tx) error { _, err := tx.Freight.Record(pipeline, f); return err }
		}
		read := promotion.Hands{All: []promotion.Hand{{Part: promotion.AuthorPart, By: promotion.Actor{ID: 6}}}}
		save := func(tx *store.Tx) error { return tx.Freight.SaveHands(pipeline, f.ID, read) }
		w.update(record(f))
		for _, more := range []func(tx *store.Tx) error{record(told), save} {
			w.settle()
			w.update(more)
			w.Equal([]string{dev, "gate", prod}, w.undecided())
			w.settle()
			w.update(more)
			w.update(record(f))
			w.Empty(w.undecided())
		}
		w.view(func(tx *store.Tx) error {
			have, err := tx.Freight.ByID(pipeline, f.ID)
			w.Equal(promotion.Hands{All: append(told.Hands.All, read.All...)}, have.Hands)
			return err
		})
		w.update(func(tx *store.Tx) error { return tx.Freight.SaveHands(pipeline, "unknown", read) })
		w.Empty(w.undecided())
	}},
	{"freight of a warehouse that no stage takes from concerns nobody", func(w *world) {
		web := promotion.NewFreight(&promotion.Warehouse{Name: "web", Repo: "acme/web"}, 1, "c1", start)
		w.update(func(tx *store.Tx) error { _, err := tx.Freight.Record(pipeline, web); return err })
		w.Empty(w.undecided())
	}},
	{"freight is ordered by when it was merged, then by number, however late it is heard of", func(w *world) {
		w.merge(3)
		w.merge(1)
		twin := freightNo(2)
		twin.Merged = freightNo(3).Merged
		w.update(func(tx *store.Tx) error { _, err := tx.Freight.Record(pipeline, twin); return err })
		w.view(func(tx *store.Tx) error {
			all, err := tx.Freight.Newest(pipeline, "api", 10)
			w.Equal([]string{"api#3", "api#2", "api#1"}, names(all))
			return err
		})
	}},
	{"a release is freight without a pull request, and a tag that has moved is nothing new", func(w *world) {
		api := &promotion.Warehouse{Name: "api", Kind: promotion.FromReleases, Repo: "acme/api"}
		f, is := api.Versioned(promotion.Tagged{Tag: "v1.4.2", SHA: "c0000001", At: start, Release: 9, Title: "Better"})
		w.True(is)
		candidate, is := api.Versioned(promotion.Tagged{Tag: "v1.4.1", SHA: "c0000001", At: start, Release: 8})
		w.True(is)
		moved, is := api.Versioned(promotion.Tagged{Tag: "v1.4.2", SHA: "c0000002", At: start, Release: 9})
		w.True(is)
		w.update(func(tx *store.Tx) error {
			for _, one := range []struct {
				promotion.Freight
				fresh bool
			}{{f, true}, {candidate, true}, {moved, false}} {
				fresh, err := tx.Freight.Record(pipeline, one.Freight)
				w.NoError(err)
				w.Equal(one.fresh, fresh, one.SHA)
			}
			return nil
		})
		w.view(func(tx *store.Tx) error {
			have, err := tx.Freight.Newest(pipeline, "api", 10)
			w.Equal([]promotion.Freight{f, candidate}, have, "two releases of one commit are two pieces of freight")
			w.NoError(err)
			has, err := tx.Freight.Has(pipeline, "api@v1.4.2")
			w.True(has)
			w.NoError(err)
			has, err = tx.Freight.Has(pipeline, "api@v1.4.3")
			w.False(has)
			w.NoError(err)
			none, err := tx.Freight.ByPull(pipeline, "acme/api", 9)
			w.Empty(none, "the number of a release is no pull request")
			w.NoError(err)
			meant, err := tx.Requests.FreightMeant(pipeline, promotion.Request{Command: promotion.Command{Freight: "#9"}})
			w.Empty(meant, "here neither")
			w.NoError(err)
			meant, err = tx.Requests.FreightMeant(pipeline,
				promotion.Request{Command: promotion.Command{Freight: "api@v1.4.2"}})
			w.Equal([]promotion.FreightID{f.ID}, meant)
			return err
		})
	}},
	{"freight is found by its pull request", func(w *world) {
		f := w.merge(1)
		w.merge(2)
		w.view(func(tx *store.Tx) error {
			found, err := tx.Freight.ByPull(pipeline, "acme/api", 1)
			w.Equal([]promotion.Freight{f}, found)
			return err
		})
	}},
}

func names(all []promotion.Freight) []string {
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
	}
	return names
}

func TestSignals(t *testing.T) { prove(t, signals) }

var signals = []test{
	{"a signal of a commit that nobody knows is kept and concerns nobody, until the commit is hosted (F5)",
		func(w *world) {
			w.signal(check(1, "m1", "success"))
			w.Empty(w.undecided())
			w.host(dev, 1, w.merge(1), "m1")
			w.Equal([]promotion.Signal{check(1, "m1", "success")}, w.runs(dev))
		}},
	{"a signal of a hosted commit concerns the stage that hosts it", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.True(w.signal(check(1, "m1", "success")))
		w.Equal([]string{dev}, w.undecided())
		w.settle()
		w.False(w.signal(check(1, "m1", "success")), "the same again")
		w.Empty(w.undecided())
	}},
	{"a signal of a later head of the branch concerns the stages that it judges (semantics 7.1)", func(w *world) {
		w.unshared()
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m1", "m2", "README.md")
		w.settle()
		w.signal(check(1, "m2", "success"))
		w.Equal([]string{dev}, w.undecided())
		w.Len(w.runs(dev), 1)
	}},
	{"a signal of a later head concerns no stage that shares its matcher, nor one that has none for it (semantics 7.1)",
		func(w *world) {
			w.host(dev, 1, w.merge(1), "m1")
			w.push("m1", "m2", "README.md")
			w.settle()
			w.True(w.signal(check(1, "m2", "success")))
			lint := check(2, "m1", "success")
			lint.Name = "lint"
			w.True(w.signal(lint))
			w.Empty(w.undecided())
			w.Empty(w.runs(dev))
		}},
	{"a signal of a later head concerns no stage while one of another pipeline waits for the same (semantics 7.1)",
		func(w *world) {
			w.unshared()
			w.host(dev, 1, w.merge(1), "m1")
			w.push("m1", "m2", "README.md")
			w.signal(check(1, "m2", "failure"))
			w.resynced()
			w.settle()
			w.Len(w.runs(dev), 1)
			smoke := promotion.Common{On: promotion.Branch{Repo: home, Name: "main"},
				Matched: w.pipeline.Stage(dev).Targets[0].Verify[0].Matches()}
			other := otherOn(samplePipeline(), smoke.On)
			w.save(otherRow(), other)
			w.Equal([]string{dev}, w.undecided(), "what was heard counts no more")
			w.Empty(w.runs(dev))
			w.Equal([]promotion.Common{smoke}, w.snapshot(dev).Common)
			w.Empty(w.snapshot(prod).Common)
			w.True(w.resyncs(), "what was not kept is asked for")
			w.resynced()
			w.settle()
			w.signal(check(2, "m2", "failure"))
			w.save(otherRow(), other)
			w.Empty(w.undecided(), "nothing has changed")
			w.False(w.resyncs())
			w.save(otherRow(), nil)
			w.Equal([]string{dev}, w.undecided())
			w.Equal([]promotion.Signal{check(2, "m2", "failure")}, w.runs(dev))
			w.Empty(w.snapshot(dev).Common)
			w.True(w.resyncs())
		}},
	{"a matcher that only a verdict of another pipeline keeps is not shared (semantics 7.1, 7.2)", func(w *world) {
		w.unshared()
		on := promotion.Branch{Repo: home, Name: "main"}
		other := otherOn(samplePipeline(), on)
		w.save(otherRow(), other)
		w.NotEmpty(w.snapshot(dev).Common)
		stage := store.StageKey{Pipeline: quiet, Stage: dev}
		w.update(func(tx *store.Tx) error {
			if _, err := tx.Freight.Record(quiet, freightNo(1)); err != nil {
				return err
			}
			b, err := tx.Ledger.Basis(other, stage)
			if err != nil {
				return err
			}
			p := w.queued(dev, 1, freightNo(1))
			p.State, p.Merged, p.MergeSHA, p.Ended = promotion.Succeeded, w.clock.Now(), "m1", w.clock.Now()
			p.Rollout = oneStep()
			results := onePart("m1", w.clock.Now())
			results[0].Keep(other.Stage(dev).Targets[0].Verify)
			return tx.Ledger.Apply(b, promotion.Decision{
				Promotions: []promotion.Promotion{p},
				Deployments: []promotion.Deployment{{
					Promotion: 1, Stage: dev, Warehouse: "api", Freight: freightNo(1).ID, Entered: p.Ended, Since: p.Ended,
					Commit: "m1", Results: results,
				}},
			})
		})
		for _, s := range other.Stages {
			if s.Targets != nil {
				s.Targets[0].Verify = nil
			}
		}
		w.save(otherRow(), other)
		w.Empty(w.snapshot(dev).Common)
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m1", "m2", "README.md")
		w.signal(check(1, "m2", "success"))
		w.Len(w.runs(dev), 1)
	}},
	{"a signal of a later head counts though it was heard of before the push (F5)", func(w *world) {
		w.unshared()
		w.host(dev, 1, w.merge(1), "m1")
		w.signal(check(1, "m3", "success"))
		w.push("m2", "m3", "README.md")
		w.settle()
		w.Empty(w.runs(dev), "nobody knows that it follows")
		w.push("m1", "m2", "README.md")
		w.Equal([]string{dev}, w.undecided())
		w.Len(w.runs(dev), 1)
	}},
	{"heads behind a push that touches the stage's files do not count (semantics 7.1)", func(w *world) {
		w.unshared()
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m1", "m2", "values.yaml")
		w.push("m2", "m3", "README.md")
		w.settle()
		w.signal(check(1, "m2", "success"))
		w.signal(check(2, "m3", "success"))
		w.Empty(w.undecided())
		w.Empty(w.runs(dev))
	}},
	{"a push of which nobody knows what it changed touches all files, also if it came before the deployment",
		func(w *world) {
			w.unshared()
			w.host(dev, 1, w.merge(1), "m1")
			w.push("m1", "m2", promotion.EveryPath...)
			w.settle()
			w.signal(check(1, "m2", "success"))
			w.Empty(w.undecided())
			w.Empty(w.runs(dev))
			w.leave(dev, 1)
			w.push("m3", "m4", promotion.EveryPath...)
			w.host(dev, 2, w.merge(2), "m3")
			w.settle()
			w.signal(check(2, "m4", "success"))
			w.Empty(w.undecided())
			w.Empty(w.runs(dev))
		}},
	{"that a deployment has been replaced says nothing about how it ended, whichever is heard first", func(w *world) {
		state := func(id int64, name string, seconds int) promotion.Signal {
			s := check(id, "m1", name)
			s.Kind, s.Observed, s.Ended = promotion.KindDeployment, start.Add(time.Duration(seconds)*time.Second), time.Time{}
			if name == "success" {
				s.Ended = s.Observed
			}
			return s
		}
		w.host(dev, 1, w.merge(1), "m1")
		w.True(w.signal(state(1, "success", 1)))
		w.False(w.signal(state(1, "inactive", 2)))
		w.True(w.signal(state(2, "inactive", 2)))
		w.True(w.signal(state(2, "success", 1)))
		for _, s := range w.runs(dev) {
			w.Equal("success", s.State)
		}
	}},
	{"a signal of what has left concerns nobody (F7)", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.leave(dev, 1)
		w.signal(check(1, "m1", "success"))
		w.Empty(w.undecided())
		w.Empty(w.runs(dev))
	}},
	{"an older observation never replaces a newer one (T21)", func(w *world) {
		done := check(1, "m1", "success")
		running := done
		running.State, running.Ended, running.Observed = "in_progress", time.Time{}, done.Observed.Add(-time.Second)
		w.host(dev, 1, w.merge(1), "m1")
		w.True(w.signal(done))
		w.False(w.signal(running))
		running.Observed = done.Observed
		w.False(w.signal(running), "as new, but it takes the end back")
		w.Equal([]promotion.Signal{done}, w.runs(dev))
		running.Observed = done.Observed.Add(time.Second)
		w.True(w.signal(running), "a newer one may")
	}},
	{"a signal without a name is of the one that has its id", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		done := check(1, "m1", "cancelled")
		again := done
		again.State, again.Ended, again.Observed = "in_progress", time.Time{}, done.Observed.Add(time.Second)
		nameless := again
		nameless.App, nameless.Suite, nameless.Name = "", 0, ""
		w.False(w.signal(nameless), "nobody knows it")
		w.True(w.signal(done))
		w.settle()
		w.True(w.signal(nameless))
		w.Equal([]string{dev}, w.undecided())
		w.Equal([]promotion.Signal{again}, w.runs(dev))
	}},
	{"a newer observation that says the same concerns nobody, and makes older ones late", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		s := check(1, "m1", "success")
		w.signal(s)
		w.settle()
		s.Observed = s.Observed.Add(2 * time.Second)
		w.False(w.signal(s))
		w.Empty(w.undecided())
		s.State, s.Observed = "failure", s.Observed.Add(-time.Second)
		w.False(w.signal(s))
		w.Equal("success", w.runs(dev)[0].State)
	}},
	{"of two runs of one name in one suite the later one counts, whichever is heard first; of two suites both do (F32)",
		func(w *world) {
			w.host(dev, 1, w.merge(1), "m1")
			w.signal(check(2, "m1", "success"))
			w.signal(check(1, "m1", "failure"))
			w.Equal([]promotion.Signal{check(2, "m1", "success")}, w.runs(dev))
			w.signal(check(3, "m1", "failure"))
			w.Equal([]promotion.Signal{check(3, "m1", "failure")}, w.runs(dev))
			other := check(4, "m1", "success")
			other.Suite = 51
			w.signal(other)
			w.Len(w.runs(dev), 2)
		}},
	{"only signals that a matcher names are looked at", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		s := check(1, "m1", "success")
		s.Name = "lint"
		w.signal(s)
		w.Empty(w.runs(dev))
	}},
	{"what a verdict was made with is listened to though the pipeline file drops it (semantics 7.2)", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		s := w.snapshot(dev)
		stay := s.Deployments[0]
		stay.Results = slices.Clone(stay.Results)
		stay.Results[0].Verdict = promotion.Bad
		stay.Results[0].Keep(s.Stage.Targets[0].Verify)
		w.apply(dev, promotion.Decision{Deployments: []promotion.Deployment{stay}})
		w.settle()
		without := samplePipeline()
		without.Stage(dev).Targets[0].Verify = nil
		w.pipeline = without
		w.save(row(), without)
		w.settle()
		w.signal(check(1, "m1", "success"))
		w.Equal([]string{dev}, w.undecided())
		w.Equal([]promotion.Signal{check(1, "m1", "success")}, w.runs(dev))
		w.save(row(), without)
		w.Len(w.runs(dev), 1, "as often as the file is read")
	}},
	{"a run that is given another name counts under that", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		s := check(1, "m1", "success")
		w.signal(s)
		s.Name, s.Observed = "lint", s.Observed.Add(time.Second)
		w.settle()
		w.signal(s)
		w.Equal([]string{dev}, w.undecided())
		w.Empty(w.runs(dev))
		s.Name, s.Observed = "smoke", s.Observed.Add(time.Second)
		w.signal(s)
		w.Len(w.runs(dev), 1)
	}},
	{"a suite stays completed until a run of it begins anew", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.signal(check(1, "m1", "success"))
		w.settle()
		suite := promotion.Suite{Repo: home, ID: 50, SHA: "m1", App: "github-actions", Branch: "main"}
		w.True(w.suite(suite))
		done := suite
		done.Completed, done.Conclusion = true, "success"
		w.True(w.suite(done))
		w.Equal([]string{dev}, w.undecided())
		w.False(w.suite(suite), "a late observation")
		w.Equal([]promotion.Suite{done}, w.snapshot(dev).Evidence[0].Suites)
		w.settle()
		again := check(9, "m1", "queued")
		again.Ended = time.Time{}
		again.Name = "another job"
		w.signal(again)
		w.Equal([]promotion.Suite{suite}, w.snapshot(dev).Evidence[0].Suites)
		w.Equal([]string{dev}, w.undecided(), "also when no matcher names the run")
	}},
}

// check is a completed run of the check "smoke".
func check(id int64, sha promotion.SHA, conclusion string) promotion.Signal {
	return promotion.Signal{
		Repo: home, Kind: promotion.KindCheck, ID: id, SHA: sha, App: "github-actions", Suite: 50, Name: "smoke",
		State: conclusion, URL: "https://github.test/runs", Started: start.Add(time.Minute),
		Ended: start.Add(2 * time.Minute), Observed: start.Add(2 * time.Minute),
	}
}

// unshared gives prod another check than dev, so that runs on later heads count in dev.
func (w *world) unshared() {
	w.Helper()
	w.pipeline.Stage(prod).Targets[0].Verify = []promotion.Matcher{
		{Kind: promotion.KindCheck, Pattern: "e2e", App: "github-actions"},
	}
	w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
	w.settle()
}

// resyncs reports whether GitHub is asked for everything now.
func (w *world) resyncs() bool {
	w.Helper()
	var r store.PipelineRow
	w.view(func(tx *store.Tx) (err error) {
		r, err = tx.Pipelines.ByID(pipeline)
		return err
	})
	return r.ResyncDue.Equal(w.clock.Now())
}

func (w *world) signal(s promotion.Signal) (changed bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		changed, err = tx.Signals.Record(s)
		return err
	})
	return changed
}

func (w *world) suite(s promotion.Suite) (changed bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		changed, err = tx.Signals.RecordSuite(s)
		return err
	})
	return changed
}

func (w *world) push(before, after promotion.SHA, paths ...string) (fresh bool) {
	w.Helper()
	p := promotion.Push{Repo: home, Branch: "main", Before: before, After: after, At: w.clock.Now(), Paths: paths}
	w.update(func(tx *store.Tx) (err error) {
		fresh, err = tx.Branches.RecordPush(p)
		return err
	})
	return fresh
}

// leave ends the deployment of a promotion.
func (w *world) leave(stage string, n promotion.Number) {
	w.Helper()
	for _, s := range w.snapshot(stage).Deployments {
		if s.Promotion == n {
			p := w.read(n)
			p.State, p.Ended = promotion.Succeeded, w.clock.Now()
			s.Left, s.Verdict, s.Judged = w.clock.Now(), promotion.Passed, w.clock.Now()
			w.apply(stage, promotion.Decision{Promotions: []promotion.Promotion{p}, Deployments: []promotion.Deployment{s}})
			w.settle()
			return
		}
	}
	w.FailNow("nothing to leave")
}

func TestPushes(t *testing.T) { prove(t, pushes) }

var pushes = []test{
	{"a push concerns the stages whose freight it may have had a check cancelled for, once", func(w *world) {
		w.unshared()
		w.False(w.pushed("feature"), "no pipeline lives there")
		w.True(w.push("m0", "m1", "a"))
		w.Empty(w.undecided())
		w.host(dev, 1, w.merge(1), "m1")
		w.signal(check(1, "m1", "success"))
		w.settle()
		w.True(w.push("m1", "m2", "a"))
		w.Empty(w.undecided(), "what dev knows is the same as before")
		w.signal(check(2, "m2", "cancelled"))
		w.settle()
		w.True(w.push("m2", "m3", "a"))
		w.Equal([]string{dev}, w.undecided())
		w.settle()
		w.False(w.push("m2", "m3", "a"))
		w.Empty(w.undecided())
	}},
	{"a push concerns a stage to which a pull request has brought freight that it does not host yet", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		p.State, p.MergeSHA, p.MergedAt = promotion.PullMerged, "m1", start
		w.see(p)
		w.followed("m1")
	}},
	{"a push concerns a stage to which a commit has brought freight that it does not host yet", func(w *world) {
		committing(w)
		w.True(w.begin(1))
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveLanded(pipeline, 1) })
		w.followed(delivered.Head)
	}},
	{"a push concerns a stage which is about to host freight that changes none of its files", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		w.update(func(tx *store.Tx) error {
			return tx.Plans.Save(pipeline, 1, promotion.Plan{Round: 2, Base: "b1", At: tx.Now}, nil)
		})
		w.followed("b1")
	}},
	{"pushes are in the order in which one follows the other, however they came", func(w *world) {
		w.unshared()
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m3", "m4", "c")
		w.push("m1", "m2", "a")
		w.push("m2", "m3", "b")
		w.signal(check(1, "m3", "cancelled"))
		w.EqualValues("m4", w.snapshot(dev).Evidence[0].Head)
		w.view(func(tx *store.Tx) error {
			commits, err := tx.Deployments.Watched(pipeline, 1, promotion.Branch{Repo: home, Name: "main"})
			w.Equal([]promotion.SHA{"m1", "m2", "m3", "m4"}, commits)
			return err
		})
	}},
	{"a branch that is told of in one step and then in smaller ones goes on from both", func(w *world) {
		w.unshared()
		w.host(dev, 1, w.merge(1), "m1")
		w.True(w.push("m1", "m3", "a"))
		w.True(w.push("m1", "m2", "a"))
		w.True(w.push("m2", "m3", "a"))
		w.True(w.push("m3", "m4", "a"))
		w.signal(check(1, "m4", "cancelled"))
		w.Len(w.runs(dev), 1)
		w.False(w.push("m1", "m4", "a"), "that is known")
		w.push("m5", "m6", "a")
		w.push("m4", "m5", "values.yaml")
		w.EqualValues("m4", w.snapshot(dev).Evidence[0].Head)
	}},
	{"a branch that has been made anew follows nothing", func(w *world) {
		w.unshared()
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m1", "0000000000000000000000000000000000000000", "a")
		w.push("0000000000000000000000000000000000000000", "m2", "a")
		w.signal(check(1, "m2", "success"))
		w.Empty(w.runs(dev))
	}},
	{"a branch that goes round in circles is still read to its end (F14)", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m1", "m2", "a")
		w.push("m2", "m1", "a")
		w.signal(check(1, "m1", "success"))
		w.Len(w.runs(dev), 1)
		w.Empty(w.snapshot(dev).Evidence[0].Head, "whatever is cancelled has been overtaken")
	}},
	{"a push of others may change GitHub's mind about an open pull request, one of ours does not", func(w *world) {
		w.open(dev, 1, w.merge(1), 11)
		w.settle()
		w.push("b1", "b2", "a")
		w.Equal(int64(1), w.pull(11).Revision)
		w.Empty(w.undecided())
		w.update(func(tx *store.Tx) error { return tx.Pulls.BumpInto(home, "main") })
		w.Equal(int64(2), w.pull(11).Revision)
		w.Equal([]string{dev}, w.undecided())
	}},
}

// pushed records a push to a branch.
func (w *world) pushed(branch string) (fresh bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		fresh, err = tx.Branches.RecordPush(promotion.Push{Repo: home, Branch: branch, Before: "x", After: "y", At: tx.Now})
		return err
	})
	return fresh
}

// followed has a head follow the commit that dev is about to judge, on which a check was cancelled.
func (w *world) followed(commit promotion.SHA) {
	w.Helper()
	w.unshared()
	w.signal(check(1, commit, "cancelled"))
	w.settle()
	w.True(w.push(commit, "next", "a"))
	w.Equal([]string{dev}, w.undecided())
	w.EqualValues("next", w.snapshot(dev).Evidence[0].Head)
}
