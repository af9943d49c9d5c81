package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

// live is the branch with the files of prod in the cases below.
var live = promotion.Branch{Repo: "acme/eu", Name: "live"}

// apart moves the files of prod to another repository.
func (w *world) apart() {
	w.Helper()
	w.pipeline.Stage(prod).Files = live
	w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
	w.settle()
}

func TestFiles(t *testing.T) { prove(t, files) }

var files = []test{
	{"merges into two branches do not wait for each other", func(w *world) {
		w.apart()
		w.want(dev, merge(dev, 1))
		w.want(prod, merge(prod, 2))
		w.NotNil(w.claim())
		w.NotNil(w.claim())
	}},
	{"merges of two pipelines into one branch go one at a time", func(w *world) {
		w.apart()
		w.found(quiet)
		w.want(prod, merge(prod, 1))
		w.applyOf(store.StageKey{Pipeline: quiet, Stage: prod},
			promotion.Decision{Wanted: []promotion.Effect{merge(prod, 2)}})
		e := w.claim()
		w.NotNil(e)
		w.Nil(w.claim())
		w.finish(e)
		w.NotNil(w.claim())
	}},
	{"a push concerns the stages whose files are on its branch", func(w *world) {
		w.apart()
		w.host(dev, 1, w.merge(1), "m1")
		w.host(prod, 2, w.merge(2), "e1")
		w.update(func(tx *store.Tx) error {
			_, err := tx.Branches.RecordPush(promotion.Push{
				Repo: live.Repo, Branch: live.Name, Before: "e1", After: "e2", At: tx.Now, Paths: []string{"x"},
			})
			return err
		})
		w.Equal([]string{prod}, w.undecided())
		w.settle()
		w.push("m1", "m2", "x")
		w.Equal([]string{dev}, w.undecided())
		w.view(func(tx *store.Tx) error {
			o, err := tx.Pipelines.Outlook(pipeline)
			w.Equal([]store.FilesOutlook{
				{Branch: promotion.Branch{Repo: home, Name: "main"}, Commits: []promotion.SHA{"m1", "m2"}, Reached: "m2"},
				{Branch: live, Commits: []promotion.SHA{"e1", "e2"}, Reached: "e2"},
			}, o.Files)
			return err
		})
	}},
	{"a signal concerns the stages whose files are in its repository", func(w *world) {
		w.apart()
		w.host(dev, 1, w.merge(1), "m1")
		w.host(prod, 2, w.merge(2), "m1")
		w.update(func(tx *store.Tx) error {
			_, err := tx.Signals.Record(promotion.Signal{
				Repo: live.Repo, Kind: promotion.KindCheck, ID: 1, SHA: "m1", App: "github-actions", Name: "smoke",
				State: "success", Ended: tx.Now,
			})
			return err
		})
		w.Equal([]string{prod}, w.undecided())
		w.Empty(w.runs(dev))
		w.Len(w.runs(prod), 1)
	}},
	{"pull requests of two repositories may have one number", func(w *world) {
		w.apart()
		w.open(dev, 1, w.merge(1), 12)
		w.Equal(promotion.Branch{Repo: home, Name: "main"}, w.attempt(1).Files)
		w.settle()
		w.apply(prod, promotion.Decision{Promotions: []promotion.Promotion{w.queued(prod, 2, w.merge(2))}})
		w.Equal(live, w.attempt(2).Files)
		w.settle()
		w.update(func(tx *store.Tx) error {
			_, err := tx.Pulls.Record(promotion.Pull{
				Repo: live.Repo, Number: 12, Head: "x", State: promotion.PullClosed, Updated: tx.Now,
			})
			return err
		})
		w.Empty(w.undecided())
	}},
	{"the default branch that is called otherwise takes what is open along, a stage that moves does not", func(w *world) {
		w.open(dev, 1, w.merge(1), 12)
		renamed := row()
		renamed.Branch, renamed.Renamed = "trunk", true
		w.pipeline.Branch = "trunk"
		w.save(renamed, w.pipeline)
		w.Equal(promotion.Branch{Repo: home, Name: "trunk"}, w.attempt(1).Files)
		w.pipeline.Stage(dev).Files = live
		w.save(renamed, w.pipeline)
		w.Equal(promotion.Branch{Repo: home, Name: "trunk"}, w.attempt(1).Files)
		w.Contains(w.undecided(), dev)
	}},
	{"what was merged is under the new name of the branch, though GitHub goes on giving it the old one", func(w *world) {
		merged := w.open(dev, 1, w.merge(1), 12)
		merged.State, merged.MergeSHA = promotion.PullMerged, "m1"
		tell := func() {
			w.update(func(tx *store.Tx) error {
				_, err := tx.Pulls.Record(merged)
				return err
			})
		}
		tell()
		w.Equal("main", w.pull(12).Base)
		renamed := row()
		renamed.Branch, renamed.Renamed = "trunk", true
		w.pipeline.Branch = "trunk"
		w.save(renamed, w.pipeline)
		w.Equal("trunk", w.pull(12).Base)
		merged.Updated = merged.Updated.Add(time.Minute)
		tell()
		w.Equal("trunk", w.pull(12).Base)
	}},
	{"what is open stays on a branch that is only the default branch no more", func(w *world) {
		w.open(dev, 1, w.merge(1), 12)
		switched := row()
		switched.Branch, w.pipeline.Branch = "trunk", "trunk"
		w.save(switched, w.pipeline)
		w.Equal(promotion.Branch{Repo: home, Name: "main"}, w.attempt(1).Files)
		w.Contains(w.undecided(), dev)
	}},
}
