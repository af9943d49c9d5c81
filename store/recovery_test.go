package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// pipelineOnFile is a database with a pipeline of one stage, of which an effect is to be carried out.
func pipelineOnFile(t *testing.T, o store.Options) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "waybill.db")
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{{Name: "dev"}}}
	s := openFile(t, path, o)
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, tx.Pipelines.Save(store.PipelineRow{ID: 1, Repo: p.Home, Branch: "main"}, p))
		b, err := tx.Ledger.Basis(p, store.StageKey{Pipeline: 1, Stage: "dev"})
		require.NoError(t, err)
		return tx.Ledger.Apply(b, promotion.Decision{Wanted: []promotion.Effect{plan(1, 1)}})
	}))
	require.NoError(t, s.Close())
	return path
}

// staleness is what a store says of its pipeline: whether anything of it may happen, and its newest number.
type staleness struct {
	Stale   bool
	Decides bool
	Acts    bool
	Newest  promotion.Number
}

func stalenessOf(t *testing.T, s *store.Store) (is staleness) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		row, err := tx.Pipelines.ByID(1)
		require.NoError(t, err)
		key, _, err := tx.Stages.NextUndecided(store.StageKey{}, false)
		require.NoError(t, err)
		e, _, err := tx.Outbox.ClaimEffect(store.Claim{Lease: time.Minute})
		require.NoError(t, err)
		if e != nil {
			require.NoError(t, tx.Outbox.RetryEffect(e, "", tx.Now))
		}
		newest, err := tx.Promotions.Newest(1)
		is = staleness{!row.Stale.IsZero(), key.Stage != "", e != nil, newest}
		return err
	}))
	return is
}

func TestAfterAnAbsenceNothingHappensBeforeAResync(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	o := store.Options{Clock: func() time.Time { return now }}
	path := pipelineOnFile(t, o)
	now = now.Add(14 * time.Minute)
	s := openFile(t, path, o)
	require.Equal(t, staleness{Acts: true}, stalenessOf(t, s), "a restart is no absence")
	require.NoError(t, s.Close())
	now = now.Add(16 * time.Minute)
	s = openFile(t, path, o)
	require.Equal(t, staleness{Stale: true}, stalenessOf(t, s))
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		n, _, err := tx.Upkeep.Backlog()
		require.NoError(t, err)
		require.EqualValues(t, 3, n, "the audit, the discovery, and of the pipeline its resync alone")
		row, err := tx.Pipelines.ByID(1)
		require.Equal(t, now, row.ResyncDue)
		require.NoError(t, tx.Recovery.MarkFresh(1))
		return err
	}))
	require.Equal(t, staleness{Decides: true, Acts: true}, stalenessOf(t, s))
}

// TestNothingHappensBeforeTheFirstSweepAfterAStart: nor is there anything to do but that sweep and what waits for it.
func TestNothingHappensBeforeTheFirstSweepAfterAStart(t *testing.T) {
	for name, end := range map[string]func(*store.Tx) error{
		"it is complete": func(tx *store.Tx) error {
			c, err := tx.Clocks.TakeClock(store.ClockSweep, 0, time.Minute)
			require.NoError(t, err)
			return tx.Inbox.Swept(&c, tx.Now, tx.Now, tx.Now.Add(time.Hour))
		},
		"it fails again and again": func(tx *store.Tx) error { return tx.Inbox.GoOnUnswept() },
	} {
		t.Run(name, func(t *testing.T) {
			s := openFile(t, pipelineOnFile(t, store.Options{}), store.Options{})
			require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
				require.NoError(t, tx.Stages.Touch(store.StageKey{Pipeline: 1, Stage: "dev"}))
				require.NoError(t, tx.Inbox.AskSweep())
				c, err := tx.Clocks.TakeClock(store.ClockSweep, 0, time.Minute)
				require.NoError(t, err)
				require.NoError(t, tx.Clocks.ClockFailed(&c, "GitHub is down", tx.Now.Add(time.Hour)))
				return tx.Inbox.SweepFirst()
			}))
			require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
				c, err := tx.Clocks.Clock(store.ClockSweep)
				require.Zero(t, c.Failures, "those before the start do not count")
				return err
			}))
			require.Equal(t, staleness{}, stalenessOf(t, s))
			require.NoError(t, s.Update(t.Context(), end))
			require.Equal(t, staleness{Decides: true, Acts: true}, stalenessOf(t, s))
		})
	}
}

func TestABackupKnowsThatItIsOneWhenItIsOpened(t *testing.T) {
	path := pipelineOnFile(t, store.Options{})
	file := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, store.Backup(t.Context(), "sqlite://"+path, file))
	require.Equal(t, staleness{Acts: true}, stalenessOf(t, openFile(t, path, store.Options{})), "the original is none")
	s := openFile(t, file, store.Options{})
	require.Equal(t, staleness{Stale: true, Newest: 1000}, stalenessOf(t, s))
	require.NoError(t, s.Close())
	s = openFile(t, file, store.Options{})
	require.Equal(t, staleness{Stale: true, Newest: 1000}, stalenessOf(t, s), "it is noted once, and stays so")
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, tx.Recovery.NoteLost(1, 900))
		require.NoError(t, tx.Recovery.NoteLost(1, 1200))
		require.NoError(t, tx.Recovery.MarkFresh(1))
		events, err := tx.Audit.Events(1, 0, 100)
		var alerts int
		for _, e := range events {
			if e.Word == "restored" {
				alerts++
			}
		}
		require.Equal(t, 2, alerts)
		return err
	}))
	require.Equal(t, staleness{Decides: true, Acts: true, Newest: 2200}, stalenessOf(t, s))
}

func TestAFileThatWasToldSoIsACopy(t *testing.T) {
	path := pipelineOnFile(t, store.Options{})
	s := openFile(t, path, store.Options{})
	require.NoError(t, s.Update(t.Context(), (*store.Tx).TellCopy))
	require.NoError(t, s.Close())
	require.Equal(t, staleness{Stale: true, Newest: 1000}, stalenessOf(t, openFile(t, path, store.Options{})))
}

// TestARestoredCopyLooksUpFirstWhatItIsAboutToDo: the newer database may have done it already.
func TestARestoredCopyLooksUpFirstWhatItIsAboutToDo(t *testing.T) {
	path := pipelineOnFile(t, store.Options{})
	file := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, store.Backup(t.Context(), "sqlite://"+path, file))
	for from, attempt := range map[string]int{path: 1, file: 2} {
		s := openFile(t, from, store.Options{})
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
			require.NoError(t, tx.Recovery.MarkFresh(1))
			e, _, err := tx.Outbox.ClaimEffect(store.Claim{Lease: time.Minute})
			require.NoError(t, err)
			require.Equal(t, attempt, e.Attempts, from)
			return nil
		}))
	}
}

func TestRestoredPromotions(t *testing.T) { prove(t, restoredPromotions) }

// restored notes that the database is an older copy, and that GitHub shows a promotion that it lacks; 0: none.
func (w *world) restored(lost promotion.Number) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		if err := tx.Recovery.NoteRestored(); err != nil {
			return err
		}
		return tx.Recovery.NoteLost(pipeline, lost)
	})
}

// hasMade reports whether the database has a branch of a promotion, or without a branch a commit.
func (w *world) hasMade(n promotion.Number, branch string) (made bool) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		made, err = tx.Recovery.Made(pipeline, n, home, 0, branch)
		return err
	})
	return made
}

// shownInACopy shows a message and a check run about the first promotion, into dev, has the database be a copy, and
// returns what it takes to be shown then, which is the same for both: the newer database may have shown something else.
func (w *world) shownInACopy(f promotion.Freight) (shown string) {
	w.Helper()
	both := []store.View{
		{Surface: "slack:1/1", Kind: "slack", Promotion: 1}, {Surface: "check:1/1", Kind: "check", Freight: f.ID},
	}
	for _, view := range both {
		view.Pipeline, view.Stage, view.Wanted = pipeline, dev, "so it is"
		w.update(func(tx *store.Tx) error {
			_, err := tx.Views.WantView(view)
			return err
		})
		w.update(func(tx *store.Tx) error {
			v, _, err := tx.Views.ClaimView(store.Claim{Lease: time.Minute})
			w.NoError(err)
			w.Equal(view.Surface, v.Surface)
			v.RemoteID = "1"
			return tx.Views.ShowedView(v, time.Time{})
		})
	}
	w.restored(0)
	for i, view := range both {
		w.view(func(tx *store.Tx) error {
			v, err := tx.Views.ViewBySurface(view.Surface)
			w.Equal("so it is", v.Wanted)
			if i > 0 {
				w.Equal(shown, v.Shown)
			}
			shown = v.Shown
			return err
		})
	}
	return shown
}

var restoredPromotions = []test{
	{"what had not begun in a copy gets a new number, and keeps all else", func(w *world) {
		p := w.queued(dev, 1, w.merge(1))
		reply := promotion.Effect{Verb: promotion.Reply, Request: 1, Promotion: 1, Stage: dev, Surface: "comment:1"}
		w.apply(dev, promotion.Decision{
			Promotions: []promotion.Promotion{p}, Effects: []promotion.Effect{reply}, Wanted: []promotion.Effect{plan(1, 1)},
		})
		w.restored(0)
		p.Number, p.Version = 1002, 2
		w.Equal([]promotion.Promotion{p}, w.snapshot(dev).Promotions)
		w.Equal(promotion.Number(1003), w.snapshot(dev).Next)
		w.Equal(promotion.Number(1002), w.attempt(1002).Promotion)
		w.Empty(w.effectsOf(1))
		kept := w.effectsOf(1002)
		w.Len(kept, 1, "the plan is wanted again by the next decision")
		w.Equal(promotion.Reply, kept[0].Verb)
	}},
	{"messages about the old number stay as they are", func(w *world) {
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 1, w.merge(1))}})
		w.update(func(tx *store.Tx) error {
			_, err := tx.Views.WantView(store.View{
				Surface: "slack:1/1", Pipeline: pipeline, Stage: dev, Kind: "slack", Promotion: 1, Wanted: "queued",
			})
			return err
		})
		w.restored(0)
		w.view(func(tx *store.Tx) error {
			_, err := tx.Views.ViewBySurface("slack:1/1")
			w.ErrorIs(err, store.ErrNotFound)
			return nil
		})
	}},
	{"messages and check runs about a promotion that goes on are shown again", func(w *world) {
		f := w.merge(1)
		w.open(dev, 1, f, 11)
		w.settle()
		w.Equal("", w.shownInACopy(f))
	}},
	{"and about one that has ended, if the stage hosts its freight: it may have been judged anew", func(w *world) {
		f := w.merge(1)
		w.host(dev, 1, f, "m1")
		p := w.read(1)
		p.State, p.Ended = promotion.Succeeded, w.clock.Now()
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		w.settle()
		w.Equal("", w.shownInACopy(f))
	}},
	{"and not about one whose freight has left", func(w *world) {
		f := w.merge(1)
		w.host(dev, 1, f, "m1")
		w.leave(dev, 1)
		w.Equal("so it is", w.shownInACopy(f))
	}},
	{"a commit that nothing shows yet is made anew under the new number", func(w *world) {
		committing(w)
		w.prepare(1, "waybill/dev/api-1/1", "h1")
		w.restored(0)
		w.Equal(promotion.Running, w.snapshot(dev).Promotions[0].State)
		w.Equal(1, w.attempt(1002).Plan.Round)
		w.False(w.hasMade(1, "waybill/dev/api-1/1"))
		w.view(func(tx *store.Tx) error {
			_, made, err := tx.Plans.Prepared(pipeline, 1002, 1)
			w.Empty(made)
			return err
		})
	}},
	{"what has begun keeps its number", func(w *world) {
		w.open(dev, 1, w.merge(1), 11)
		committing := w.queued(prod, 2, w.merge(2))
		committing.State, committing.Started = promotion.Running, start
		w.apply(prod, promotion.Decision{Promotions: []promotion.Promotion{committing}})
		w.plan(2, 1)
		w.settle()
		w.update(func(tx *store.Tx) error {
			begun, err := tx.Attempts.BeginCommit(pipeline, 2, 0, delivered)
			w.True(begun)
			return err
		})
		w.restored(0)
		w.Equal(promotion.Number(1), w.snapshot(dev).Promotions[0].Number)
		w.Equal(promotion.Number(2), w.snapshot(prod).Promotions[0].Number)
		w.True(w.hasMade(2, ""))
	}},
	{"a step of a rollout that has not begun gets a new number, and so does the one behind a step that has",
		func(w *world) {
			p := rolling(w, w.merge(1), 1)
			w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
			w.restored(0)
			w.Equal(1001, w.snapshot(dev).Promotions[0].Rollout.Step)
			w.Equal(1001, w.attempt(1).Step)
			w.False(w.hasMade(1, "waybill/dev/1-canary-1"))
			w.plan(1, 1)
			w.update(func(tx *store.Tx) error {
				if err := tx.Plans.SaveCommit(pipeline, 1, 1001, 1, "waybill/dev/1-canary-1001", "b1", "h1"); err != nil {
					return err
				}
				return tx.Attempts.SaveOpened(pipeline, 1, 1, promotion.Pull{
					Repo: home, Number: 11, Head: "waybill/dev/1-canary-1001", HeadSHA: "h1", Base: "main", State: promotion.PullOpen,
				})
			})
			w.restored(1)
			r := w.snapshot(dev).Promotions[0].Rollout
			w.Equal([]int{1001, 1000}, []int{r.Step, r.LeftOut})
			w.True(w.hasMade(1, "waybill/dev/1-canary-1001"))
			w.False(w.hasMade(1, "waybill/dev/1-canary-2"))
		}},
	{"a copy that is restored twice gives no number twice", func(w *world) {
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 1, w.merge(1))}})
		w.restored(900)
		w.Equal(promotion.Number(1002), w.snapshot(dev).Promotions[0].Number, "900 is none that waits")
		w.update(func(tx *store.Tx) error { return tx.Recovery.NoteLost(pipeline, 1002) })
		w.Equal(promotion.Number(2003), w.snapshot(dev).Promotions[0].Number)
		w.update(func(tx *store.Tx) error { return tx.Recovery.NoteLost(pipeline, 1002) })
		w.Equal(promotion.Number(2003), w.snapshot(dev).Promotions[0].Number, "it is noted once")
	}},
}
