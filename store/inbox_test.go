package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

func TestADeliveryThatIsRefusedDisturbsNoneOfThoseBesideIt(t *testing.T) {
	s := open(t, store.Options{})
	const pairs = 200
	refused, accepted := make([]error, pairs), make([]error, pairs)
	var all sync.WaitGroup
	for i := range pairs {
		all.Go(func() {
			_, refused[i] = s.Accept(t.Context(), store.Delivery{Source: "nowhere", GUID: fmt.Sprint(i)})
		})
		all.Go(func() {
			_, accepted[i] = s.Accept(t.Context(), store.Delivery{Source: "github", GUID: fmt.Sprint(i)})
		})
	}
	all.Wait()
	for i := range pairs {
		require.ErrorContains(t, refused[i], "constraint")
		require.NoError(t, accepted[i])
	}
	require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
		waiting, err := tx.Inbox.DeliveriesBefore(store.DeliveryWaiting, 0, 2*pairs)
		require.Len(t, waiting, pairs)
		return err
	}))
}

func TestTheBodyOfADeliveryGoesOnceItIsHandled(t *testing.T) {
	s := open(t, store.Options{})
	one := store.Delivery{Source: "github", GUID: "1", Repo: "acme/api", Body: []byte("secret")}
	_, err := s.Accept(t.Context(), one)
	require.NoError(t, err)
	body := func() (text string) {
		require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
			d, err := tx.Inbox.Delivery("github:1")
			text = string(d.Body)
			return err
		}))
		return text
	}
	handled := func(meanwhile func(tx *store.Tx) error) {
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
			d, _, err := tx.Inbox.ClaimDelivery(store.Claim{Lease: time.Minute})
			require.NoError(t, err)
			require.NoError(t, meanwhile(tx))
			return errors.Join(tx.Inbox.DeliveryHandled(d), tx.Inbox.DropBody(d))
		}))
	}
	handled(func(tx *store.Tx) error { return tx.Inbox.ReplayDelivery("github:1") })
	require.Equal(t, "secret", body(), "it is to be handled again")
	handled(func(*store.Tx) error { return nil })
	require.Empty(t, body())
	fresh, err := s.Accept(t.Context(), one)
	require.NoError(t, err)
	require.False(t, fresh, "it is known by its hash")
	one.Body = []byte("other")
	_, err = s.Accept(t.Context(), one)
	require.ErrorIs(t, err, store.ErrDifferentPayload)
}
