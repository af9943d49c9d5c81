package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

func TestPipelines(t *testing.T) { prove(t, pipelines) }

var pipelines = []test{
	{"a pipeline is read back as it was saved", func(w *world) {
		w.view(func(tx *store.Tx) error {
			p, err := tx.Pipelines.ByRepo(home)
			w.Equal(pipeline, p.ID)
			w.Equal("version: 1", string(p.Config))
			w.Empty(p.Policy)
			w.Equal(int64(3), p.Installation)
			w.Equal(start, p.Created)
			return err
		})
		err := w.store.View(context.Background(), func(tx *store.Tx) error { _, err := tx.Pipelines.ByID(99); return err })
		w.ErrorIs(err, store.ErrNotFound)
	}},
	{"saving what is saved already concerns no stage", func(w *world) {
		w.save(row(), w.pipeline)
		w.Empty(w.undecided())
	}},
	{"a commit that changes neither file concerns no stage", func(w *world) {
		r := row()
		r.ConfigSHA, r.ConfigError = "c9", "waybill.yml:3:1: unknown key"
		w.save(r, w.pipeline)
		w.Empty(w.undecided())
		w.view(func(tx *store.Tx) error {
			p, err := tx.Pipelines.ByID(pipeline)
			w.Equal(r.ConfigError, p.ConfigError)
			return err
		})
	}},
	{"a new pipeline file or policy concerns every stage", func(w *world) {
		r := row()
		r.Config = []byte("version: 1 # changed")
		w.save(r, w.pipeline)
		w.Equal([]string{dev, "gate", prod}, w.undecided())
		w.settle()
		r.Policy = []byte("automatic: [dev]")
		w.save(r, w.pipeline)
		w.Equal([]string{dev, "gate", prod}, w.undecided())
	}},
	{"other targets that a glob has found concern every stage, and are read back as they were found", func(w *world) {
		r := row()
		r.Found = []byte(`{"c/*":["c/eu"]}`)
		w.save(r, w.pipeline)
		w.Equal([]string{dev, "gate", prod}, w.undecided())
		w.settle()
		w.save(r, w.pipeline)
		w.Empty(w.undecided())
		w.view(func(tx *store.Tx) error {
			p, err := tx.Pipelines.ByID(pipeline)
			w.Equal(r.Found, p.Found)
			return err
		})
	}},
	{"a stage that the file no longer has is kept as removed, and may come back (Q18, F30)", func(w *world) {
		r, less := row(), samplePipeline()
		r.Config, less.Stages = []byte("less"), less.Stages[:2]
		w.save(r, less)
		w.view(func(tx *store.Tx) error {
			stages, err := tx.Stages.Of(pipeline)
			w.Len(stages, 3)
			w.Equal(key(prod), stages[2].Key)
			w.Equal(start, stages[2].Removed)
			s, err2 := tx.Ledger.Snapshot(less, key(prod))
			w.NoError(err2)
			w.True(s.Removed)
			return err
		})
		w.Contains(w.undecided(), prod)
		w.save(row(), w.pipeline)
		w.view(func(tx *store.Tx) error {
			stages, err := tx.Stages.Of(pipeline)
			w.Zero(stages[2].Removed)
			return err
		})
	}},
	{"freight of a warehouse that a stage no longer takes from does not concern it", func(w *world) {
		r := row()
		web := &promotion.Warehouse{Name: "web", Kind: promotion.FromPulls, Repo: "acme/web", Branch: "main"}
		w.pipeline.Warehouses = append(w.pipeline.Warehouses, web)
		w.pipeline.Stages[0].From = []promotion.Source{{Warehouse: "web"}}
		r.Config = []byte("other")
		w.save(r, w.pipeline)
		w.settle()
		w.merge(1)
		w.NotContains(w.undecided(), dev)
	}},
	{"all pipelines are listed in the order of their repositories", func(w *world) {
		w.save(store.PipelineRow{ID: 3, Repo: "acme/before", Branch: "main"}, nil)
		w.save(store.PipelineRow{ID: 9, Repo: "acme/other", Branch: "main"}, nil)
		w.view(func(tx *store.Tx) error {
			all, err := tx.Pipelines.All()
			w.Equal([]int64{3, pipeline, 9}, []int64{all[0].ID, all[1].ID, all[2].ID})
			w.Len(all, 3)
			return err
		})
	}},
	{"a pipeline whose file is gone has only removed stages (F31)", func(w *world) {
		w.save(row(), nil)
		w.Equal([]string{dev, "gate", prod}, w.undecided())
		w.view(func(tx *store.Tx) error {
			s, err := tx.Ledger.Snapshot(nil, key(dev))
			w.True(s.Removed)
			return err
		})
	}},
	{"a repository that is renamed keeps what is known of it (T22)", func(w *world) {
		f := w.merge(1)
		w.host(dev, 1, f, "m1")
		w.signal(check(1, "m1", "success"))
		r := row()
		r.Repo = "acme/renamed"
		w.pipeline.Home = r.Repo
		w.save(r, w.pipeline)
		w.Len(w.runs(dev), 1)
	}},
	{"what was told under the new name of a repository first is known once, as of the later observation", func(w *world) {
		w.open(dev, 1, w.merge(1), 12)
		w.signal(check(1, "m1", "in_progress"))
		w.signal(check(2, "m1", "success"))
		suite := promotion.Suite{Repo: home, ID: 5, SHA: "m1"}
		r := row()
		r.Repo = "acme/renamed"
		w.update(func(tx *store.Tx) error {
			pull, err := tx.Pulls.ByNumber(home, 12)
			w.NoError(err)
			other := pull
			other.Repo, other.Number, other.Head, other.State = r.Repo, 13, "waybill/x", promotion.PullClosed
			mine := other
			mine.Repo, mine.Head, mine.State = home, "waybill/y", promotion.PullOpen
			pull.Repo, pull.State, pull.MergeSHA = r.Repo, promotion.PullMerged, "m1"
			passed := check(1, "m1", "success")
			passed.Repo, passed.Observed, passed.Ended = r.Repo, tx.Now, tx.Now
			done := suite
			done.Repo, done.Completed = r.Repo, true
			for _, p := range []promotion.Pull{pull, other, mine} {
				_, err := tx.Pulls.Record(p)
				w.NoError(err)
			}
			for _, s := range []promotion.Suite{suite, done} {
				_, err := tx.Signals.RecordSuite(s)
				w.NoError(err)
			}
			_, err = tx.Signals.Record(passed)
			return err
		})
		w.pipeline.Home = r.Repo
		w.save(r, w.pipeline)
		w.view(func(tx *store.Tx) error {
			pull, err := tx.Pulls.ByNumber(r.Repo, 12)
			w.NoError(err)
			w.Equal(promotion.PullMerged, pull.State)
			mine, err := tx.Pulls.ByNumber(r.Repo, 13)
			w.NoError(err)
			w.Equal("waybill/y", mine.Head, "the other one is of a repository that had the name before")
			w.Equal(promotion.PullOpen, mine.State)
			_, err = tx.Pulls.ByNumber(home, 12)
			w.ErrorIs(err, store.ErrNotFound)
			return nil
		})
		w.Contains(w.undecided(), dev)
	}},
	{"a matcher that comes into the file is judged by what is known, and GitHub is asked for the rest", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m1", "m2", "README.md")
		for id, name := range map[int64]string{1: "lint", 2: "unit"} {
			s := check(id, "m2", "success")
			s.Name = name
			w.signal(s)
		}
		w.update(func(tx *store.Tx) error {
			for _, sha := range []promotion.SHA{"m1", "m2", "m3"} {
				if err := tx.Signals.SaveDigest(home, sha, "as it was"); err != nil {
					return err
				}
			}
			return nil
		})
		w.claimResync()
		w.resynced()
		w.pipeline.Stage(dev).Targets[0].Verify = []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "l*"}}
		w.save(row(), w.pipeline)
		w.Equal([]string{dev}, w.undecided())
		w.EqualValues("lint", w.runs(dev)[0].Name)
		w.NotNil(w.claimResync(), "somebody looks at once")
		w.view(func(tx *store.Tx) error {
			known, err := tx.Signals.Digests(home, []promotion.SHA{"m1", "m2", "m3"})
			w.Equal(map[promotion.SHA]string{"m3": "as it was"}, known)
			return err
		})
	}},
	{"freight in a repository that is renamed is judged by what comes under the new name (T22)", func(w *world) {
		w.unshared()
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m1", "m2", "README.md")
		r := row()
		r.Repo = "acme/renamed"
		w.pipeline.Home = r.Repo
		w.save(r, w.pipeline)
		w.settle()
		w.update(func(tx *store.Tx) error {
			_, err := tx.Branches.RecordPush(promotion.Push{
				Repo: r.Repo, Branch: "main", Before: "m2", After: "m3", At: tx.Now, Paths: []string{"README.md"},
			})
			return err
		})
		later := check(1, "m3", "success")
		later.Repo = r.Repo
		w.signal(later)
		w.Equal([]string{dev}, w.undecided())
		w.Len(w.runs(dev), 1)
	}},
}

func TestResync(t *testing.T) { prove(t, resync) }

var resync = []test{
	{"a pipeline is resynced at once, and then at its interval, whoever asked (R2, F25, F26)", func(w *world) {
		c := w.claimResync()
		w.Equal(pipeline, c.Pipeline)
		w.Nil(w.claimResync(), "it is being resynced (R7)")
		w.update(func(tx *store.Tx) error { return tx.Clocks.Resynced(c, "m0", tx.Now) })
		w.clock.advance(9*time.Hour - time.Second)
		w.Nil(w.claimResync())
		w.clock.advance(30*time.Minute + time.Second)
		w.NotNil(w.claimResync(), "in good time before the interval is over")
	}},
	{"a resync that died is tried again when its lease is over", func(w *world) {
		w.claimResync()
		w.clock.advance(time.Minute)
		w.NotNil(w.claimResync())
	}},
	{"a resync that fails says so and is tried when told to (F28)", func(w *world) {
		c := w.claimResync()
		w.update(func(tx *store.Tx) error { return tx.Clocks.ClockFailed(c, "502", tx.Now.Add(2*time.Minute)) })
		w.clock.advance(time.Minute)
		w.Nil(w.claimResync())
		w.clock.advance(time.Minute)
		c = w.claimResync()
		w.Equal(1, c.Failures)
		w.Equal("502", c.Error)
		w.view(func(tx *store.Tx) error {
			p, err := tx.Pipelines.ByID(pipeline)
			w.Equal(1, p.ResyncFailures)
			w.Equal("502", p.ResyncError)
			return err
		})
	}},
	{"a resync that is wanted at once takes the place of the one that is under way, which writes nothing any more",
		func(w *world) {
			first := w.claimResync()
			w.resynced()
			err := w.store.Update(store.Holding(context.Background(), first.Lease), func(tx *store.Tx) error {
				return tx.Clocks.Resynced(first, "m9", tx.Now)
			})
			w.ErrorIs(err, store.ErrLeaseLost)
			w.view(func(tx *store.Tx) error {
				p, err := tx.Pipelines.ByID(pipeline)
				w.EqualValues("m0", p.Head)
				return err
			})
		}},
	{"a resync that was wanted at once and died is tried again when its lease is over", func(w *world) {
		w.resynced()
		w.update(func(tx *store.Tx) error {
			_, err := tx.Clocks.TakeClock(store.ClockResync, pipeline, time.Minute)
			return err
		})
		w.Nil(w.claimResync())
		w.clock.advance(time.Minute)
		w.NotNil(w.claimResync())
	}},
	{"a resync that somebody asked for goes before those that are due by themselves", func(w *world) {
		w.found(noisy, quiet)
		w.resynced()
		w.clock.advance(time.Second)
		w.update(func(tx *store.Tx) error { return tx.Clocks.AskResync(quiet) })
		w.Equal(quiet, w.claimResync().Pipeline)
		w.Equal(noisy, w.claimResync().Pipeline)
	}},
	{"an interval out of bounds is clamped (F29)", func(w *world) {
		for asked, kept := range map[time.Duration]time.Duration{
			0: 10 * time.Hour, -time.Hour: time.Minute, time.Second: time.Minute, 1e5 * time.Hour: 168 * time.Hour,
			time.Hour: time.Hour,
		} {
			r := row()
			r.ResyncEvery = asked
			w.save(r, w.pipeline)
			w.view(func(tx *store.Tx) error {
				p, err := tx.Pipelines.ByID(pipeline)
				w.Equal(kept, p.ResyncEvery, "%s", asked)
				return err
			})
		}
		w.Empty(w.undecided())
	}},
	{"a resync that somebody asks for is due now", func(w *world) {
		w.resynced()
		w.update(func(tx *store.Tx) error { return tx.Clocks.AskResync(pipeline) })
		w.NotNil(w.claimResync())
	}},
	{"a resync that somebody asks for while there is one comes after it", func(w *world) {
		c := w.claimResync()
		began := w.clock.now
		w.clock.advance(time.Second)
		w.update(func(tx *store.Tx) error { return tx.Clocks.AskResync(pipeline) })
		w.Nil(w.claimResync(), "it is being resynced (R7)")
		w.update(func(tx *store.Tx) error { return tx.Clocks.Resynced(c, "m0", began) })
		w.NotNil(w.claimResync())
		w.resynced()
		w.Nil(w.claimResync())
	}},
	{"after access was regained there are two resyncs, the second when GitHub shows everything", func(w *world) {
		w.resynced()
		w.update(func(tx *store.Tx) error { return tx.Clocks.AskResyncs(pipeline, time.Minute) })
		w.resynced()
		w.Nil(w.claimResync())
		w.clock.advance(time.Minute)
		w.resynced()
		w.clock.advance(time.Minute)
		w.Nil(w.claimResync())
	}},
	{"another interval counts from the last resync", func(w *world) {
		w.resynced()
		r := row()
		r.ResyncEvery = time.Hour
		w.save(r, w.pipeline)
		w.Nil(w.claimResync())
		w.clock.advance(time.Hour)
		w.NotNil(w.claimResync())
	}},
	{"what a commit was found to report is known by repository and commit", func(w *world) {
		w.update(func(tx *store.Tx) error { return tx.Signals.SaveDigest(home, "m1", "a") })
		w.update(func(tx *store.Tx) error { return tx.Signals.SaveDigest(home, "m1", "b") })
		w.view(func(tx *store.Tx) error {
			known, err := tx.Signals.Digests(home, []promotion.SHA{"m0", "m1"})
			w.Equal(map[promotion.SHA]string{"m1": "b"}, known)
			return err
		})
	}},
	{"a clock of the server rings when it is due, and is wound from when its work began (F25, F26)", func(w *world) {
		c := w.ring("discovery")
		w.NotNil(c, "it has never rung")
		w.Nil(w.ring("discovery"), "it is being done")
		began := w.clock.now
		w.clock.advance(time.Minute)
		w.update(func(tx *store.Tx) error { return tx.Clocks.ClockDone(c, began, began.Add(time.Hour)) })
		w.clock.advance(59*time.Minute - time.Second)
		w.Nil(w.ring("discovery"))
		w.clock.advance(time.Second)
		c = w.ring("discovery")
		w.update(func(tx *store.Tx) error { return tx.Clocks.ClockFailed(c, "502", tx.Now.Add(time.Minute)) })
		w.Nil(w.ring("discovery"))
		w.clock.advance(time.Minute)
		c = w.ring("discovery")
		w.Equal(1, c.Failures)
		w.Equal("502", c.Error)
		w.Equal(began, c.Done)
	}},
	{"a warehouse is there since the file had it first, and another one where it takes something else", func(w *world) {
		api := w.pipeline.Warehouses[0]
		since := func(warehouse promotion.Warehouse) (at time.Time) {
			w.view(func(tx *store.Tx) (err error) {
				at, err = tx.Warehouses.Since(pipeline, &warehouse)
				return err
			})
			return at
		}
		w.Equal(start, since(*api))
		w.clock.advance(time.Hour)
		releases := *api
		releases.Kind = promotion.FromReleases
		w.view(func(tx *store.Tx) error {
			_, err := tx.Warehouses.Since(pipeline, &releases)
			w.ErrorIs(err, store.ErrNotFound)
			return nil
		})
		w.pipeline.Warehouses = []*promotion.Warehouse{&releases}
		w.save(row(), w.pipeline)
		w.pipeline.Warehouses = []*promotion.Warehouse{api, &releases}
		w.clock.advance(time.Hour)
		w.save(row(), w.pipeline)
		heads := *api
		heads.Kind = promotion.FromPushes
		w.pipeline.Warehouses = []*promotion.Warehouse{api, &releases, &heads}
		w.save(row(), w.pipeline)
		reached := func() (sha promotion.SHA) {
			w.view(func(tx *store.Tx) (err error) {
				sha, err = tx.Warehouses.Reached(pipeline, &heads)
				return err
			})
			return sha
		}
		w.Empty(reached())
		for _, move := range []struct {
			from, to, then promotion.SHA
		}{{"", "c1", "c1"}, {"", "c2", "c1"}, {"c1", "c2", "c2"}, {"c1", "c3", "c2"}} {
			w.update(func(tx *store.Tx) error { return tx.Warehouses.MoveReached(pipeline, &heads, move.from, move.to) })
			w.Equal(move.then, reached(), "from %s to %s", move.from, move.to)
		}
		seen := func() (to time.Time) {
			w.view(func(tx *store.Tx) (err error) {
				to, err = tx.Warehouses.SeenTo(pipeline, api)
				return err
			})
			return to
		}
		w.Zero(seen())
		for _, move := range []struct{ to, then time.Time }{
			{time.Time{}, time.Time{}}, {start, start}, {start.Add(-time.Hour), start},
			{start.Add(time.Hour), start.Add(time.Hour)},
		} {
			w.update(func(tx *store.Tx) error { return tx.Warehouses.MoveSeenTo(pipeline, api, move.to) })
			w.Equal(move.then, seen(), "after a move to %s", move.to)
		}
		w.Equal(start, since(*api), "it was gone for an hour, and is the same")
		w.Equal(start.Add(time.Hour), since(releases))
	}},
	{"a resync looks at the open pull requests and at the commits that are hosted", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		w.push("m1", "m1a", "README.md")
		w.open(prod, 2, w.merge(2), 12)
		w.clock.advance(time.Second)
		w.resynced()
		w.view(func(tx *store.Tx) error {
			o, err := tx.Pipelines.Outlook(pipeline)
			w.Equal(start.Add(time.Second), o.ResyncedAt)
			w.Equal(start, o.Since)
			w.Equal([]store.OpenPull{{Repo: home, Number: 12}}, o.OpenPulls)
			w.Equal([]store.FilesOutlook{
				{Branch: promotion.Branch{Repo: home, Name: "main"}, Commits: []promotion.SHA{"m1", "m1a"}, Reached: "m1a"},
			}, o.Files)
			w.True(o.Has(w.pipeline.Warehouses[0], "c0000001"))
			w.False(o.Has(w.pipeline.Warehouses[0], "c0000009"))
			return err
		})
	}},
}

func (w *world) save(r store.PipelineRow, p *promotion.Pipeline) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(r, p) })
}

// resynced completes a resync of the pipeline.
func (w *world) resynced() {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		c, err := tx.Clocks.TakeClock(store.ClockResync, pipeline, time.Minute)
		if err != nil {
			return err
		}
		return tx.Clocks.Resynced(&c, "m0", tx.Now)
	})
}

// ring claims a clock; nil if it is not due.
func (w *world) ring(name string) (c *store.Clock) {
	w.Helper()
	due := w.due(store.TimedBy(name))
	w.update(func(tx *store.Tx) (err error) {
		c, _, err = tx.Clocks.ClaimClock(name, store.Claim{Lease: time.Hour})
		return err
	})
	w.True(due || c == nil, "work that is claimed was due")
	return c
}

func (w *world) claimResync() (c *store.Clock) {
	w.Helper()
	due := w.due(store.TimedBy(store.ClockResync))
	w.update(func(tx *store.Tx) (err error) {
		c, _, err = tx.Clocks.ClaimClock(store.ClockResync, aMinute)
		return err
	})
	w.True(due || c == nil, "work that is claimed was due")
	return c
}

// TestPipelinesAreReadAgainWhenAnotherProcessHasWrittenOne has two processes on one database, and one on another.
func TestPipelinesAreReadAgainWhenAnotherProcessHasWrittenOne(t *testing.T) {
	at := emptyDatabase(t)
	one, other := openURL(t, at, store.Options{Shared: true}), openURL(t, at, store.Options{Shared: true})
	save := func(s *store.Store) {
		r := row()
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Pipelines.Save(r, &promotion.Pipeline{ID: r.ID, Home: r.Repo, Branch: r.Branch})
		}))
	}
	read := func(s *store.Store, seen int64) (int, int64) {
		all, now, err := s.PipelinesSince(t.Context(), seen)
		require.NoError(t, err)
		return len(all), now
	}
	n, seen := read(other, 0)
	require.Zero(t, n)
	save(one)
	n, seen = read(other, seen)
	require.Equal(t, 1, n)
	save(one)
	n, seen = read(other, seen)
	require.Zero(t, n, "nothing has changed")
	alone := openURL(t, emptyDatabase(t), store.Options{})
	save(alone)
	n, seen = read(alone, seen)
	require.Zero(t, n, "it knows what it has written")
	require.Equal(t, int64(1), seen)
}
