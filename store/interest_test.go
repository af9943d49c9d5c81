package store_test

import (
	"bytes"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestInterest(t *testing.T) { prove(t, interest) }

var interest = []test{
	{"a signal is awaited if a matcher names it, or if its commit is the head of an open pull request of ours",
		func(w *world) {
			p := w.open(dev, 1, w.merge(1), 11)
			awaited := func(kind promotion.SignalKind, name string, sha promotion.SHA) bool {
				yes, err := w.store.Await(w.Context(), &promotion.Signal{Repo: home, Kind: kind, Name: name, SHA: sha})
				w.NoError(err)
				return yes
			}
			w.True(awaited("", "", p.HeadSHA), "of our own App, on the head")
			w.True(awaited(promotion.KindStatus, "lint", p.HeadSHA))
			w.False(awaited("", "", "other"))
			w.False(awaited(promotion.KindStatus, "lint", "other"))
			w.True(awaited(promotion.KindCheck, "", "other"), "a suite where checks are awaited")
			p.State, p.Updated = promotion.PullClosed, p.Updated.Add(time.Second)
			w.see(p)
			w.False(awaited(promotion.KindStatus, "lint", p.HeadSHA), "it is closed")
		}},
	{"a branch is used if it holds files of stages, or is the base of an open pull request of ours", func(w *world) {
		used := func(branch string) bool {
			yes, err := w.store.UseBranch(w.Context(), promotion.Branch{Repo: home, Name: branch})
			w.NoError(err)
			return yes
		}
		w.True(used("main"))
		w.False(used("change"))
		p := w.open(dev, 1, w.merge(1), 11)
		p.Base, p.Updated = "change", p.Updated.Add(time.Second)
		w.see(p)
		w.True(used("change"))
	}},
	{"a repository is used if a pipeline lives there, or has files or an open pull request there", func(w *world) {
		used := func(id int64, repo promotion.Repo) bool {
			yes, err := w.store.UseRepository(w.Context(), id, repo)
			w.NoError(err)
			return yes
		}
		w.True(used(pipeline, "acme/renamed"))
		w.True(used(99, home))
		w.False(used(99, "acme/other"))
		p := w.open(dev, 1, w.merge(1), 11)
		p.Repo = "acme/other"
		w.see(p)
		w.True(used(99, "acme/other"))
		p.State, p.Updated = promotion.PullClosed, p.Updated.Add(time.Second)
		w.see(p)
		w.False(used(99, "acme/other"))
	}},
	{"a body comes out as it went in", func(w *world) {
		body := bytes.Repeat([]byte("https://api.github.com/repos/acme/deploy "), 300)
		w.accept("g1", string(body))
		w.Equal(body, w.claimDelivery().Body)
	}},
	{"a new matcher has GitHub asked for what was not kept, also while nothing is hosted yet", func(w *world) {
		w.open(dev, 1, w.merge(1), 11)
		w.resyncDone()
		w.Nil(w.claimResync())
		changed, next := samplePipeline(), row()
		changed.Stages[0].Targets[0].Verify[0].Pattern = "e2e"
		next.Config = []byte("version: 1 # e2e")
		w.save(next, changed)
		w.NotNil(w.claimResync())
	}},
}

// resyncDone carries out the resync that is due.
func (w *world) resyncDone() {
	if c := w.claimResync(); c != nil {
		w.update(func(tx *store.Tx) error { return tx.Clocks.Resynced(c, "m0", tx.Now) })
	}
}
