package store_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// committing is promotion 1 in state running, with a plan.
func committing(w *world) {
	p := w.queued(dev, 1, w.merge(1))
	p.State, p.Started = promotion.Running, start
	w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
	w.plan(1, 1)
	w.settle()
}

var delivered = promotion.Made{
	Round: 1, Base: "b1", Head: "c1", At: start.Add(time.Second), URL: "https://github.test/c1",
}

// begin begins the commit of promotion 1, and reports whether it has begun.
func (w *world) begin(round int) (begun bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		made := delivered
		made.Round = round
		begun, err = tx.Attempts.BeginCommit(pipeline, 1, 0, made)
		return err
	})
	return begun
}

// dispatch begins the workflow of promotion 1, and reports whether it has begun.
func (w *world) dispatch() (begun bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		begun, err = tx.Attempts.BeginDispatch(pipeline, 1)
		return err
	})
	return begun
}

func TestAttemptStates(t *testing.T) { prove(t, attemptStates) }

var attemptStates = []test{
	{"what has begun is known before it can be seen, and what has landed is where it was made", func(w *world) {
		committing(w)
		w.True(w.begin(1))
		w.Equal(promotion.AttemptCommitting, w.attempt(1).State)
		w.update(func(tx *store.Tx) error {
			_, made, err := tx.Plans.Prepared(pipeline, 1, 1)
			w.Equal(delivered.Head, made)
			return err
		})
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveLanded(pipeline, 1) })
		a := w.attempt(1)
		w.Equal([]any{promotion.AttemptDelivered, 1, delivered.Base, delivered.Head, delivered.At, delivered.URL},
			[]any{a.State, a.Made.Round, a.Made.Base, a.Made.Head, a.Made.At, a.Made.URL})
		w.Equal([]string{dev}, w.undecided())
	}},
	{"nothing begins while something of its stage is undecided, so that a hold which is recorded first stops it (T31)",
		func(w *world) {
			committing(w)
			w.merge(2)
			w.NotEmpty(w.undecided())
			w.False(w.begin(1))
			w.Equal(promotion.AttemptPending, w.attempt(1).State)
		}},
	{"nothing begins that was withdrawn while it was being tried, by a hold that was decided first (T31)", func(w *world) {
		committing(w)
		w.want(dev, promotion.Effect{Verb: promotion.Commit, Stage: dev, Promotion: 1, Round: 1})
		w.NotNil(w.claim())
		w.want(dev)
		w.False(w.begin(1))
		w.False(w.dispatch())
		w.want(dev, promotion.Effect{Verb: promotion.Commit, Stage: dev, Promotion: 1, Round: 1})
		w.True(w.begin(1))
	}},
	{"nothing begins of a promotion that has ended, of an older plan, or that has a pull request", func(w *world) {
		committing(w)
		w.False(w.begin(2))
		p := w.read(1)
		p.State, p.Ended = promotion.Cancelled, start
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		w.settle()
		w.False(w.begin(1))
		w.open(prod, 2, w.merge(2), 7)
		w.update(func(tx *store.Tx) error {
			begun, err := tx.Attempts.BeginCommit(pipeline, 2, 0, delivered)
			w.False(begun)
			return err
		})
	}},
	{"what came too late, is not there, or was refused is no longer on its way", func(w *world) {
		committing(w)
		w.True(w.begin(1))
		w.update(func(tx *store.Tx) error { return tx.Attempts.Abandon(pipeline, 1) })
		w.Equal([]any{promotion.AttemptPending, 0}, []any{w.attempt(1).State, w.attempt(1).Late})
		w.settle()
		w.True(w.begin(1))
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveLate(pipeline, 1, 1) })
		w.Equal([]any{promotion.AttemptPending, 1}, []any{w.attempt(1).State, w.attempt(1).Late})
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveLanded(pipeline, 1) })
		w.Zero(w.attempt(1).Made.At, "nothing was on its way")
		w.plan(1, 2)
		w.settle()
		w.True(w.begin(2))
		w.update(func(tx *store.Tx) error {
			return tx.Attempts.SaveFailure(pipeline, 1, promotion.Because(promotion.Refused))
		})
		w.Equal(promotion.AttemptFailed, w.attempt(1).State)
	}},
	{"commits and merges into one branch are done one at a time", func(w *world) {
		commit := promotion.Effect{Verb: promotion.Commit, Stage: dev, Promotion: 1, Round: 1}
		w.want(dev, commit)
		w.want(prod, merge(prod, 2))
		e := w.claim()
		w.Equal(commit, e.Effect)
		w.Nil(w.claim())
		w.finish(e)
		w.Equal(merge(prod, 2), w.claim().Effect)
	}},
	{"a commit that is tried again is decided about once more (T31)", func(w *world) {
		w.want(dev, promotion.Effect{Verb: promotion.Commit, Stage: dev, Promotion: 1, Round: 1})
		e := w.claim()
		w.update(func(tx *store.Tx) error { return tx.Outbox.RetryEffect(e, "502", tx.Now) })
		w.Nil(w.claim())
		w.want(dev)
		w.Nil(w.claim())
	}},
	{"a workflow that is being started is known before it runs, and then the commit that it runs on", func(w *world) {
		committing(w)
		w.True(w.dispatch())
		w.False(w.dispatch(), "once")
		w.Equal(w.clock.Now(), w.attempt(1).Dispatched)
		run := promotion.Signal{Repo: home, Kind: promotion.KindRun, ID: 9, SHA: "c1", Name: "workflow of dev",
			State: "queued", Started: start, Observed: start}
		w.update(func(tx *store.Tx) error {
			return tx.Attempts.SaveDispatched(pipeline, 1, promotion.Made{
				Round: 1, Base: "c1", Head: "c1", At: start, URL: "https://github.test/runs/9",
			}, run)
		})
		a := w.attempt(1)
		w.Equal([]any{promotion.AttemptDelivered, 1, promotion.SHA("c1"), start, promotion.OnRun},
			[]any{a.State, a.Made.Round, a.Made.Head, a.Made.At, a.Link().What})
		w.Equal([]string{dev}, w.undecided())
	}},
	{"a workflow that GitHub has said it starts is never started again", func(w *world) {
		committing(w)
		w.True(w.dispatch())
		gone := func() (gone bool) {
			w.update(func(tx *store.Tx) (err error) { gone, err = tx.Attempts.SaveUnheard(pipeline, 1); return err })
			return gone
		}
		w.True(gone())
		w.Zero(w.attempt(1).Dispatched)
		w.settle()
		w.True(w.dispatch())
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveHeard(pipeline, 1) })
		w.False(gone())
		w.NotZero(w.attempt(1).Dispatched)
	}},
	{"no workflow is started while something of its stage is undecided (T31), and a failure ends the start",
		func(w *world) {
			committing(w)
			w.merge(2)
			w.False(w.dispatch())
			w.settle()
			w.True(w.dispatch())
			w.update(func(tx *store.Tx) error {
				return tx.Attempts.SaveFailure(pipeline, 1, promotion.Because(promotion.Refused))
			})
			w.Zero(w.attempt(1).Dispatched)
			w.settle()
			w.False(w.dispatch())
		}},
}

// TestTheDatabaseChecksTheStateOfAnAttempt: each state has its own facts and no others.
func TestTheDatabaseChecksTheStateOfAnAttempt(t *testing.T) {
	w := &world{T: t, Assertions: require.New(t), clock: &clock{now: start}}
	path := filepath.Join(t.TempDir(), "waybill.db")
	w.store = openFile(t, path, store.Options{Clock: w.clock.Now})
	w.pipeline = samplePipeline()
	w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
	committing(w)
	require.NoError(t, w.store.Close())
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	for change, ok := range map[string]bool{
		`state = 'proposed', built = 1, pull = 7`:               true,
		`state = 'committing', built = 0, pull = 0`:             true,
		`state = 'starting', dispatched_at = 1`:                 true,
		`state = 'delivered', built = 1, landed_at = 1`:         true,
		`state = 'failed', failure = '{}'`:                      true,
		`state = 'failed', failure = '{}', built = 1, pull = 7`: true,
		`state = 'sung'`:                       false,
		`state = 'proposed', built = 1`:        false,
		`state = 'proposed', pull = 7`:         false,
		`state = 'committing', pull = 7`:       false,
		`state = 'committing', plan_round = 0`: false,
		`state = 'starting'`:                   false,
		`state = '', dispatched_at = 1`:        false,
		`state = 'delivered', built = 1`:       false,
		`state = 'delivered', landed_at = 1`:   false,
		`state = '', landed_at = 1`:            false,
		`state = 'failed'`:                     false,
		`state = '', failure = '{}'`:           false,
		`state = '', tried = 1`:                false,
		`state = '', built = 1`:                false,
	} {
		tx, err := db.Begin()
		require.NoError(t, err)
		_, err = tx.Exec(`UPDATE attempts SET ` + change)
		require.Equal(t, ok, err == nil, "%s: %v", change, err)
		require.NoError(t, tx.Rollback())
	}
}
