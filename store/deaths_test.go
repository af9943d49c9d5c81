package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// lives are the lives of a process with one database: each ends without an end of its work.
type lives struct {
	*testing.T
	url   string
	store *store.Store
}

func newLives(t *testing.T) *lives {
	l := &lives{T: t, url: emptyDatabase(t)}
	l.store = openURL(t, l.url, store.Options{Ended: true})
	return l
}

// dies has the process die, and another one start.
func (l *lives) dies() {
	l.Helper()
	require.NoError(l, l.store.Close())
	l.store = openURL(l.T, l.url, store.Options{Ended: true})
}

func (l *lives) update(fn func(tx *store.Tx) error) {
	l.Helper()
	require.NoError(l, l.store.Update(l.Context(), fn))
}

func (l *lives) accept(guids ...string) {
	l.Helper()
	for _, guid := range guids {
		_, err := l.store.Accept(l.Context(), store.Delivery{
			Source: "github", GUID: guid, Repo: promotion.Repo("acme/" + guid), Installation: 3,
		})
		require.NoError(l, err)
	}
}

// claim claims the next delivery, or else the next that is suspect; nil if there is none for now.
func (l *lives) claim() (d *store.Delivery) {
	l.Helper()
	return first(func(suspects bool) (d *store.Delivery) {
		l.update(func(tx *store.Tx) (err error) {
			d, _, err = tx.Inbox.ClaimDelivery(store.Claim{Lease: time.Hour, Suspects: suspects})
			return err
		})
		return d
	})
}

// claimSuspect claims the next delivery that is suspect; nil if there is none for now.
func (l *lives) claimSuspect() (d *store.Delivery) {
	l.Helper()
	l.update(func(tx *store.Tx) (err error) {
		d, _, err = tx.Inbox.ClaimDelivery(store.Claim{Lease: time.Hour, Suspects: true})
		return err
	})
	return d
}

// first claims work that is not suspect, or else a suspect.
func first[T any](claim func(suspects bool) *T) *T {
	if work := claim(false); work != nil {
		return work
	}
	return claim(true)
}

// claimAll claims as many deliveries as can be.
func (l *lives) claimAll() (all []*store.Delivery) {
	l.Helper()
	for d := l.claim(); d != nil; d = l.claim() {
		all = append(all, d)
	}
	return all
}

func (l *lives) end(d *store.Delivery) {
	l.Helper()
	l.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
}

func TestWorkIsDeadlyAfterFiveDeathsInARow(t *testing.T) {
	l := newLives(t)
	l.accept("poison")
	for n := range 5 {
		require.False(t, l.claim().Lease.Deadly(), n)
		l.dies()
	}
	d := l.claim()
	require.True(t, d.Lease.Deadly())
	l.update(func(tx *store.Tx) error { return tx.Inbox.ParkDelivery(d, "it kills") })
	require.Nil(t, l.claim())
	l.update(func(tx *store.Tx) error { return tx.Inbox.ReplayDelivery(d.ID) })
	require.False(t, l.claim().Lease.Deadly(), "a person has put right what was wrong")
}

func TestDeathsAreForgottenWhenWorkEnds(t *testing.T) {
	l := newLives(t)
	l.accept("d")
	for range 4 {
		l.claim()
		l.dies()
	}
	d := l.claim()
	l.update(func(tx *store.Tx) error { return tx.Inbox.DelayDelivery(d, "GitHub does not answer", tx.Now) })
	l.claim()
	l.dies()
	require.False(t, l.claim().Lease.Deadly())
}

// TestDeadlyWorkThatComesBackByItselfIsTriedOnce each time that it comes back: a look for missed deliveries is set
// aside once, and then tried.
func TestDeadlyWorkThatComesBackByItselfIsTriedOnce(t *testing.T) {
	l := newLives(t)
	l.update(func(tx *store.Tx) error { return tx.Inbox.AskSweep() })
	claim := func() *store.Clock {
		return first(func(suspects bool) (c *store.Clock) {
			l.update(func(tx *store.Tx) (err error) {
				c, _, err = tx.Clocks.ClaimClock(store.ClockSweep, store.Claim{Lease: time.Hour, Suspects: suspects})
				return err
			})
			return c
		})
	}
	for range 5 {
		require.False(t, claim().Lease.Deadly())
		l.dies()
	}
	for range 2 {
		c := claim()
		require.True(t, c.Lease.Deadly())
		l.update(func(tx *store.Tx) error { return tx.Clocks.ClockFailed(c, "it kills", tx.Now) })
		require.False(t, claim().Lease.Deadly())
		l.dies()
	}
}

func TestAProcessThatStopsInGoodOrderHasNotDied(t *testing.T) {
	l := newLives(t)
	l.accept("d")
	for n := range 6 {
		d := l.claim()
		require.Equal(t, n+1, d.Attempts, "it is looked up first")
		require.False(t, d.Lease.Deadly())
		require.NoError(t, l.store.GiveBack(l.Context()))
		l.dies()
	}
}

// TestADeathBetweenTheStartAndTheClaimIsNoDeathOfTheWork: nothing was being done then.
func TestADeathBetweenTheStartAndTheClaimIsNoDeathOfTheWork(t *testing.T) {
	l := newLives(t)
	l.accept("d")
	l.claim()
	for range 6 {
		l.dies()
	}
	require.False(t, l.claim().Lease.Deadly())
}

func TestALeaseOfThisProcessThatRunsOutIsNoDeath(t *testing.T) {
	now := start
	s := open(t, store.Options{Clock: func() time.Time { return now }})
	_, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: "d"})
	require.NoError(t, err)
	for range 6 {
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
			d, _, err := tx.Inbox.ClaimDelivery(aMinute)
			require.NotNil(t, d)
			require.False(t, d.Lease.Deadly(), "its result could not be written")
			return err
		}))
		now = now.Add(time.Minute)
	}
}

// TestALeaseOfAnotherProcessThatRunsOutIsADeath has two processes write to one file, as they would to a server.
func TestALeaseOfAnotherProcessThatRunsOutIsADeath(t *testing.T) {
	now := start
	clock := func() time.Time { return now }
	at := emptyDatabase(t)
	claim := func(s *store.Store) *store.Delivery {
		d := first(func(suspects bool) *store.Delivery {
			d, _, err := s.ClaimDelivery(t.Context(), store.Claim{Lease: time.Minute, Suspects: suspects})
			require.NoError(t, err)
			return d
		})
		now = now.Add(time.Minute)
		return d
	}
	o := store.Options{Clock: clock, Shared: true}
	processes := []*store.Store{openURL(t, at, o), openURL(t, at, o)}
	_, err := processes[0].Accept(t.Context(), store.Delivery{Source: "github", GUID: "d"})
	require.NoError(t, err)
	for n := range 5 {
		require.False(t, claim(processes[n%2]).Lease.Deadly(), n)
	}
	require.True(t, claim(processes[1]).Lease.Deadly())
}

// TestWorkBesideDeadlyWorkIsNotTakenForIt: one of ten deliveries kills the process. All are suspects after two
// deaths, and then one is handled after the other.
func TestWorkBesideDeadlyWorkIsNotTakenForIt(t *testing.T) {
	const poison = "d7"
	l := newLives(t)
	for n := range 10 {
		l.accept(fmt.Sprintf("d%d", n))
	}
	for range 2 {
		require.Len(t, l.claimAll(), 10)
		l.dies()
	}
	l.accept("new")
	deaths := 2
	for handled := 0; handled < 10; {
		all := l.claimAll()
		suspects := 0
		var killer *store.Delivery
		for _, d := range all {
			if d.GUID != "new" {
				suspects++
			}
			if d.GUID == poison && !d.Lease.Deadly() {
				killer = d
			}
		}
		require.LessOrEqual(t, suspects, 1, "of the suspects one is handled at a time")
		if killer != nil {
			deaths++
			l.dies()
			continue
		}
		for _, d := range all {
			if d.GUID == poison {
				l.update(func(tx *store.Tx) error { return tx.Inbox.ParkDelivery(d, "it kills") })
				continue
			}
			require.False(t, d.Lease.Deadly(), d.GUID)
			l.end(d)
			handled++
		}
	}
	require.LessOrEqual(t, deaths, 5)
}

// TestSuspectsOfAllKindsTakeTurns: a delivery that kills does not make an effect look as if it did.
func TestSuspectsOfAllKindsTakeTurns(t *testing.T) {
	l := newLives(t)
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{{Name: "dev"}}}
	l.update(func(tx *store.Tx) error {
		require.NoError(t, tx.Pipelines.Save(store.PipelineRow{ID: 1, Repo: p.Home, Branch: "main"}, p))
		basis, err := tx.Ledger.Basis(p, store.StageKey{Pipeline: 1, Stage: "dev"})
		require.NoError(t, err)
		return tx.Ledger.Apply(basis, promotion.Decision{Wanted: []promotion.Effect{plan(1, 1)}})
	})
	claimEffect := func() *store.Effect {
		return first(func(suspects bool) (e *store.Effect) {
			l.update(func(tx *store.Tx) (err error) {
				e, _, err = tx.Outbox.ClaimEffect(store.Claim{Lease: time.Hour, Suspects: suspects})
				return err
			})
			return e
		})
	}
	l.accept("poison")
	for range 2 {
		require.NotNil(t, l.claim())
		require.NotNil(t, claimEffect())
		l.dies()
	}
	for range 3 {
		d := l.claim()
		require.False(t, d.Lease.Deadly())
		require.Nil(t, claimEffect(), "the delivery is at work")
		l.dies()
	}
	d := l.claim()
	require.True(t, d.Lease.Deadly())
	l.update(func(tx *store.Tx) error { return tx.Inbox.ParkDelivery(d, "it kills") })
	require.False(t, claimEffect().Lease.Deadly())
}

// TestAStageThatTwoProcessesHaveDiedOfIsDecidedAmongSuspects until a process has survived that.
func TestAStageThatTwoProcessesHaveDiedOfIsDecidedAmongSuspects(t *testing.T) {
	l := newLives(t)
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{{Name: "dev"}}}
	l.update(func(tx *store.Tx) error {
		return tx.Pipelines.Save(store.PipelineRow{ID: 1, Repo: p.Home, Branch: "main"}, p)
	})
	next := func() (all []store.StageKey) {
		for _, suspect := range []bool{false, true} {
			key, _, err := l.store.NextUndecided(t.Context(), store.StageKey{}, suspect)
			require.NoError(t, err)
			all = append(all, key)
		}
		return all
	}
	dev, none := store.StageKey{Pipeline: 1, Stage: "dev"}, store.StageKey{}
	suspects := func() bool {
		some, _, err := l.store.Suspects(t.Context())
		require.NoError(t, err)
		return some
	}
	for range 2 {
		require.Equal(t, []store.StageKey{dev, none}, next())
		require.False(t, suspects())
		l.update(func(tx *store.Tx) error {
			may, _, err := tx.Stages.BeginDecision(dev)
			require.True(t, may)
			return err
		})
		l.dies()
	}
	require.Equal(t, []store.StageKey{none, dev}, next())
	require.True(t, suspects())
	l.update(func(tx *store.Tx) error {
		_, _, err := tx.Stages.BeginDecision(dev)
		return errors.Join(err, tx.Stages.EndDecision(dev))
	})
	require.Equal(t, []store.StageKey{dev, none}, next())
	require.False(t, suspects())
}

// TestSuspectsOfAnInstallationKeepNoneOfAnotherWaiting, though ordinary work is claimed between them, after which it
// would be the turn of the first again.
func TestSuspectsOfAnInstallationKeepNoneOfAnotherWaiting(t *testing.T) {
	l := newLives(t)
	accept := func(installation int64, guids ...string) {
		for _, guid := range guids {
			_, err := l.store.Accept(t.Context(), store.Delivery{
				Source: "github", GUID: guid, Repo: promotion.Repo("acme/" + guid), Installation: installation,
			})
			require.NoError(t, err)
		}
	}
	accept(4, "a1", "a2", "a3", "a4")
	accept(5, "b")
	for range 2 {
		require.Len(t, l.claimAll(), 5)
		l.dies()
	}
	accept(6, "c1", "c2", "c3", "c4", "c5")
	var order []string
	for d := l.claimSuspect(); d != nil; d = l.claimSuspect() {
		order = append(order, d.GUID)
		l.end(l.claim())
		require.Nil(t, l.claimSuspect(), "one is worked on at a time")
		l.end(d)
	}
	require.Equal(t, []string{"a1", "b", "a2", "a3", "a4"}, order)
}

// TestOfTheSuspectsOfAnInstallationTheOneThatKillsComesLast: the others end, and are suspect no more.
func TestOfTheSuspectsOfAnInstallationTheOneThatKillsComesLast(t *testing.T) {
	l := newLives(t)
	l.accept("poison", "x", "y")
	for range 2 {
		require.Len(t, l.claimAll(), 3)
		l.dies()
	}
	require.Equal(t, "poison", l.claimSuspect().GUID)
	l.dies()
	for _, guid := range []string{"x", "y", "poison"} {
		d := l.claimSuspect()
		require.Equal(t, guid, d.GUID)
		l.end(d)
	}
	require.Nil(t, l.claimSuspect())
}

// TestASuspectOfAnInstallationThatIsShutWaits until it opens, and keeps none of another waiting.
func TestASuspectOfAnInstallationThatIsShutWaits(t *testing.T) {
	l := newLives(t)
	l.accept("d")
	for range 2 {
		require.NotNil(t, l.claim())
		l.dies()
	}
	shut := func(g store.Gate) { l.update(func(tx *store.Tx) error { return tx.Upkeep.Shut(3, g) }) }
	shut(store.Gate{Until: start.Add(time.Hour), Lasting: true})
	require.Nil(t, l.claimSuspect(), "it was tried before: GitHub is not asked")
	shut(store.Gate{Until: start.Add(time.Hour), Lasting: true, Scarce: true})
	d := l.claimSuspect()
	require.NotNil(t, d, "deliveries come first")
	l.end(d)
}

func TestADecisionThatIsCutOffInGoodOrderIsNoDeath(t *testing.T) {
	l := newLives(t)
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{{Name: "dev"}}}
	l.update(func(tx *store.Tx) error {
		return tx.Pipelines.Save(store.PipelineRow{ID: 1, Repo: p.Home, Branch: "main"}, p)
	})
	for range 6 {
		l.update(func(tx *store.Tx) error {
			may, parked, err := tx.Stages.BeginDecision(store.StageKey{Pipeline: 1, Stage: "dev"})
			require.True(t, may)
			require.False(t, parked)
			return err
		})
		require.NoError(t, l.store.GiveBack(t.Context()))
		l.dies()
	}
}

// Reports of one repository are claimed together. When the process dies with them, each can be claimed again, whatever
// became of the others.
func TestReportsThatWereClaimedTogetherAreClaimedAgainAfterADeath(t *testing.T) {
	l := newLives(t)
	for n := range 3 {
		_, err := l.store.Accept(l.Context(), store.Delivery{
			Source: "github", GUID: fmt.Sprint(n), Event: "check_run", Action: "completed", Repo: "acme/api",
			Installation: 3,
		})
		require.NoError(l, err)
	}
	first := l.claim()
	var together []*store.Delivery
	l.update(func(tx *store.Tx) (err error) {
		if err = tx.Inbox.DeliveryHandled(first); err == nil {
			together, err = tx.Inbox.ClaimNext(first, 16, store.Claim{Lease: time.Hour})
		}
		return err
	})
	require.Len(t, together, 2)
	l.dies()
	for range together {
		d := l.claim()
		require.NotNil(t, d)
		l.end(d)
	}
}

// TestAMergeWhoseLeaseHasRunOutKeepsNoOtherWaiting where it cannot be looked up: its stage has something undecided,
// maybe for long. The lease may be that of a process that has died, where the next one cannot know that at its start,
// or of this one, which GitHub answers too late.
func TestAMergeWhoseLeaseHasRunOutKeepsNoOtherWaiting(t *testing.T) {
	for _, died := range []bool{false, true} {
		t.Run(fmt.Sprint("died: ", died), func(t *testing.T) {
			now, at := start, emptyDatabase(t)
			l := &lives{T: t, url: at}
			o := store.Options{Clock: func() time.Time { return now }, Steady: func() time.Time { return now }}
			l.store = openURL(t, at, o)
			claim := func() *store.Effect {
				e, _, err := l.store.ClaimEffect(t.Context(), aMinute)
				require.NoError(t, err)
				return e
			}
			p := &promotion.Pipeline{
				Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{{Name: dev}, {Name: prod}},
			}
			want := func(stage promotion.StageName, wanted ...promotion.Effect) {
				l.update(func(tx *store.Tx) error {
					basis, err := tx.Ledger.Basis(p, store.StageKey{Pipeline: pipeline, Stage: stage})
					require.NoError(t, err)
					return tx.Ledger.Apply(basis, promotion.Decision{Wanted: wanted})
				})
			}
			l.update(func(tx *store.Tx) error {
				return tx.Pipelines.Save(store.PipelineRow{ID: pipeline, Repo: p.Home, Branch: "main"}, p)
			})
			want(dev, merge(dev, 1))
			want(prod, merge(prod, 2))
			first := claim()
			require.Nil(t, claim(), "they are into one branch")
			late := promotion.StageName(dev)
			if first.Stage == dev {
				late = prod
			}
			l.update(func(tx *store.Tx) error {
				return tx.Stages.Touch(store.StageKey{Pipeline: pipeline, Stage: first.Stage})
			})
			if died {
				require.NoError(t, l.store.Close())
				l.store = openURL(t, at, o)
			}
			now = now.Add(time.Minute)
			e := claim()
			require.NotNil(t, e)
			require.Equal(t, late, e.Stage)
		})
	}
}

// TestTheMergeOfADeadProcessKeepsNoOtherWaiting where it cannot be looked up: its stage has something undecided, maybe
// for long.
func TestTheMergeOfADeadProcessKeepsNoOtherWaiting(t *testing.T) {
	path, o := filepath.Join(t.TempDir(), "waybill.db"), store.Options{Clock: func() time.Time { return start }}
	w := openWorld(t, path, o)
	w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
	w.settle()
	w.want(dev, merge(dev, 1))
	w.want(prod, merge(prod, 2))
	require.Equal(t, dev, string(w.claim().Stage))
	require.Nil(t, w.claim(), "they are into one branch")
	w.update(func(tx *store.Tx) error { return tx.Stages.Touch(store.StageKey{Pipeline: pipeline, Stage: dev}) })
	require.NoError(t, w.store.Close())
	w = openWorld(t, path, o)
	e := w.claim()
	require.NotNil(t, e)
	require.Equal(t, prod, string(e.Stage))
	w.finish(e)
	w.want(dev)
	require.Equal(t, dev, string(w.claim().Stage), "nothing withdraws what may have happened")
	require.NoError(t, w.store.Close())
}
