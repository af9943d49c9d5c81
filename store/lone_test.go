package store_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waybill/store"
)

func TestAClaimIsOneStatementWhereNothingIsInTheWay(t *testing.T) {
	var turns atomic.Int64 // how often it was asked whose turn it is
	w := newWorldWith(t, store.Options{Heard: func(query string) {
		if strings.HasPrefix(query, "SELECT account, repo, suspect") {
			turns.Add(1)
		}
	}})
	claims := func(lone bool) *store.Delivery {
		w.Helper()
		w.True(w.due(store.Deliveries))
		before := turns.Load()
		d, _, err := w.store.ClaimDelivery(t.Context(), aMinute)
		w.NoError(err)
		w.NotNil(d)
		w.Equal(lone, turns.Load() == before)
		return d
	}
	handle := func(d *store.Delivery) {
		w.Helper()
		w.update(func(tx *store.Tx) error { return tx.Inbox.DeliveryHandled(d) })
	}
	w.acceptOf("acme/api", "a0")
	w.acceptOf("acme/api", "a1")
	first := claims(true)
	w.Equal("a0", first.GUID)
	w.acceptOf("acme/web", "w0")
	w.Equal("w0", claims(false).GUID, "another is being handled")
	handle(first)
	w.clock.advance(time.Minute) // the lease of w0 runs out
	second := claims(false)
	w.Equal("a1", second.GUID, "two repositories take turns")
	handle(second)
	third := claims(false)
	w.Equal("w0", third.GUID)
	handle(third)

	w.acceptOf("acme/api", "a2")
	w.acceptOf("acme/api", "a3")
	w.acceptOf("acme/web", "w1")
	fourth := claims(false)
	w.Equal("a2", fourth.GUID, "nothing is leased, and two repositories wait")
	handle(fourth)
	fifth := claims(false)
	w.Equal("w1", fifth.GUID, "it is their turn, though a3 came first")
	handle(fifth)
	handle(claims(true))

	w.acceptOf("acme/api", "a4")
	w.shut(3, store.Gate{Until: w.clock.now.Add(time.Hour)})
	w.Equal("a4", claims(false).GUID, "nothing is leased, and an account is shut")
}
