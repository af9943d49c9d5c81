package api

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// crowd has listeners come and go.
type crowd struct {
	*testing.T
	listeners
}

// enter has somebody listen once more, and returns the status.
func (c *crowd) enter(who, from string, reading bool) (*listener, int) {
	one := &listener{who: who, reading: reading, gone: make(chan struct{})}
	if from != "" {
		one.from = netip.PrefixFrom(netip.MustParseAddr(from), 32)
	}
	if err := c.listeners.enter(one); err != nil {
		return nil, problemOf(err).Status
	}
	return one, http.StatusOK
}

// fill has somebody listen as often as they may, and returns how often that is.
func (c *crowd) fill(who, from string, reading bool) (n int) {
	for {
		if _, status := c.enter(who, from, reading); status != http.StatusOK {
			return n
		}
		n++
	}
}

func (c *crowd) has(who string) int {
	return count(c.all, func(o *listener) bool { return o.who == who })
}

func TestNobodyListensSoOftenThatOthersCannot(t *testing.T) {
	c := &crowd{T: t}
	require.Equal(t, maxListening, c.fill("token greedy", "", false))
	_, status := c.enter("token greedy", "", false)
	require.Equal(t, http.StatusTooManyRequests, status)
	for i := range maxListeners - maxListening {
		_, status := c.enter(fmt.Sprint("token ", i), "", false)
		require.Equal(t, http.StatusOK, status)
	}
	before := slices.Clone(c.all)
	ann, status := c.enter("ann", "", false)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, maxListening-1, c.has("token greedy"), "who has most makes room")
	require.Len(t, c.all, maxListeners)
	for _, o := range before {
		if !slices.Contains(c.all, o) {
			<-o.gone // and is told
		}
	}
	c.leave(ann)
	require.Len(t, c.all, maxListeners-1)
	require.Zero(t, c.has("ann"), "who has left is forgotten")
	for i := range maxListeners {
		c.enter(fmt.Sprint("one of many ", i), "", false)
	}
	require.Equal(t, 1, c.has("token greedy"))
	_, status = c.enter("one too many", "", false)
	require.Equal(t, http.StatusServiceUnavailable, status, "nobody has two more")
}

// TestTheListenersOfOneOwnerMakeRoomForThoseOfAnother has as many callers as there are places listen once each to the
// pipelines of one owner.
func TestTheListenersOfOneOwnerMakeRoomForThoseOfAnother(t *testing.T) {
	c := &crowd{T: t}
	enter := func(owner string, i int) error {
		return c.listeners.enter(&listener{who: fmt.Sprint(owner, " ", i), owner: owner, gone: make(chan struct{})})
	}
	for i := range maxListeners {
		require.NoError(t, enter("acme", i))
	}
	require.Error(t, enter("acme", maxListeners), "who comes first keeps a place among equals")
	for i := range maxListeners / 2 {
		require.NoError(t, enter("globex", i))
	}
	require.Error(t, enter("globex", maxListeners), "each has half of the places")
	require.NoError(t, enter("initech", 0))
	require.Len(t, c.all, maxListeners)
}

// TestPeopleWhoMayOnlyReadLeaveHalfOfThePlaces has as many accounts as there are listen to a public pipeline.
func TestPeopleWhoMayOnlyReadLeaveHalfOfThePlaces(t *testing.T) {
	c := &crowd{T: t}
	for i := range 50 {
		c.fill(fmt.Sprint("account ", i), "", true)
	}
	require.LessOrEqual(t, len(c.all), maxListeners/2)
	require.Equal(t, maxListening, c.fill("a maintainer", "", false))
	require.Equal(t, maxListening, c.fill("token argo", "", false))
	_, status := c.enter("one more reader", "", true)
	require.Equal(t, http.StatusServiceUnavailable, status)
}

// TestEightReadersShareTheirPlacesWithTheNinth has eight accounts come first and take what they can.
func TestEightReadersShareTheirPlacesWithTheNinth(t *testing.T) {
	c := &crowd{T: t}
	for i := range 8 {
		c.fill(fmt.Sprint("account ", i), "", true)
	}
	for i := range 16 {
		_, status := c.enter(fmt.Sprint("other ", i), "", true)
		require.Equal(t, http.StatusOK, status, i)
	}
}

// TestOneAddressLeavesHalfOfThePlaces has accounts which may write behind one address, and one elsewhere.
func TestOneAddressLeavesHalfOfThePlaces(t *testing.T) {
	c := &crowd{T: t}
	for i := range 8 {
		c.fill(fmt.Sprint("account ", i), "203.0.113.9", false)
	}
	require.Len(t, c.all, maxListeners/2)
	_, status := c.enter("account 9", "203.0.113.9", false)
	require.Equal(t, http.StatusOK, status, "who has none takes the place of one who has many")
	require.Len(t, c.all, maxListeners/2)
	for i := range 4 {
		require.Equal(t, maxListening, c.fill(fmt.Sprint("elsewhere ", i), fmt.Sprint("198.51.100.", i+1), false))
	}
}

// TestWhoIsRefusedHasTakenNobodysPlace fills the share of one address with callers that have one stream each, and all
// other places with the streams of callers that have several. A newcomer from that address is refused.
func TestWhoIsRefusedHasTakenNobodysPlace(t *testing.T) {
	c := &crowd{T: t}
	for i := range maxFromAddress {
		_, status := c.enter(fmt.Sprint("neighbour ", i), "203.0.113.9", false)
		require.Equal(t, http.StatusOK, status)
	}
	for i := range 4 {
		c.fill(fmt.Sprint("elsewhere ", i), "", false)
	}
	before := slices.Clone(c.all)
	_, status := c.enter("one more neighbour", "203.0.113.9", false)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, before, c.all)
}
