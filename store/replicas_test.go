package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// crew are two servers on one database, and their clock.
type crew struct {
	t          *testing.T
	now        time.Time
	one, other *store.Store
}

func newCrew(t *testing.T) *crew {
	c := &crew{t: t, now: start}
	at, clock := emptyDatabase(t), func() time.Time { return c.now }
	o := store.Options{Clock: clock, Steady: clock, Shared: true}
	c.one, c.other = openURL(t, at, o), openURL(t, at, o)
	_, err := c.one.Accept(t.Context(), store.Delivery{Source: "github", GUID: "d"})
	require.NoError(t, err)
	return c
}

// beat has a server say that it is at work, and returns how many are.
func (c *crew) beat(s *store.Store) (atWork int) {
	require.NoError(c.t, s.Beat(c.t.Context()))
	atWork, err := s.Servers(c.t.Context())
	require.NoError(c.t, err)
	return atWork
}

func (c *crew) claim(s *store.Store) *store.Delivery {
	return first(func(suspects bool) *store.Delivery {
		d, _, err := s.ClaimDelivery(c.t.Context(), store.Claim{Lease: time.Hour, Suspects: suspects})
		require.NoError(c.t, err)
		return d
	})
}

func TestTheWorkOfAServerThatIsNotHeardOfIsTakenUp(t *testing.T) {
	c := newCrew(t)
	require.Equal(t, 1, c.beat(c.one))
	require.Equal(t, 2, c.beat(c.other))
	held := c.claim(c.one)
	require.NotNil(t, held)
	for range 5 { // as long as it says that it is at work
		c.now = c.now.Add(14 * time.Second)
		c.beat(c.one)
		require.Equal(t, 2, c.beat(c.other))
		require.Nil(t, c.claim(c.other))
	}
	c.now = c.now.Add(11 * time.Second)
	require.Equal(t, 2, c.beat(c.other))
	require.True(t, c.one.Silent(), "it knows before the others do")
	require.False(t, c.other.Silent())
	c.now = c.now.Add(5 * time.Second)
	require.Equal(t, 1, c.beat(c.other))
	taken := c.claim(c.other)
	require.NotNil(t, taken)
	err := c.one.Update(store.Holding(context.Background(), held.Lease), func(*store.Tx) error { return nil })
	require.ErrorIs(t, err, store.ErrLeaseLost, "it writes nothing about it any more")
	require.Equal(t, 2, c.beat(c.one), "it has woken up")
	require.False(t, c.one.Silent())
}

// TestDeadlyWorkOfSeveralServersIsSetAside: each server that takes a delivery dies.
func TestDeadlyWorkOfSeveralServersIsSetAside(t *testing.T) {
	c := newCrew(t)
	for n := range 5 {
		s := []*store.Store{c.one, c.other}[n%2]
		c.beat(s)
		require.False(t, c.claim(s).Lease.Deadly(), n)
		c.now = c.now.Add(16 * time.Second)
	}
	c.beat(c.other)
	require.True(t, c.claim(c.other).Lease.Deadly())
}

// TestAServerThatStopsGivesItsWorkBack at once, and is not counted among the dead.
func TestAServerThatStopsGivesItsWorkBack(t *testing.T) {
	c := newCrew(t)
	c.beat(c.one)
	c.beat(c.other)
	require.NotNil(t, c.claim(c.one))
	require.NoError(t, c.one.GiveBack(t.Context()))
	require.NotNil(t, c.claim(c.other))
	require.Equal(t, 1, c.beat(c.other))
}

func TestOneServerAloneSaysNothing(t *testing.T) {
	s := open(t, store.Options{})
	require.NoError(t, s.Beat(t.Context()))
	require.False(t, s.Silent())
	n, err := s.Servers(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

// TestAnOutageOfOneServerIsNoneOfTheOthersForLong shuts an account because GitHub does not answer one server.
func TestAnOutageOfOneServerIsNoneOfTheOthersForLong(t *testing.T) {
	c := newCrew(t)
	w := &world{T: t, Assertions: require.New(t), store: c.one, clock: &clock{now: start}, pipeline: samplePipeline()}
	w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
	w.settle()
	w.want(dev, plan(1, 1))
	w.shut(3, store.Gate{Until: start.Add(time.Hour), Lasting: true})
	claim := func(s *store.Store) (e *store.Effect) {
		e, _, err := s.ClaimEffect(t.Context(), aMinute)
		require.NoError(t, err)
		return e
	}
	require.Nil(t, claim(c.other))
	c.now = c.now.Add(16 * time.Second)
	require.NotNil(t, claim(c.other))
}
