package app

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// sent counts requests.
type sent int

func (s *sent) RoundTrip(*http.Request) (*http.Response, error) {
	*s++
	return &http.Response{Body: http.NoBody}, nil
}

// TestAServerThatCouldNotSayThatItIsAtWorkSendsNothingUnderALease: another one may do that now. It answers who asks.
func TestAServerThatCouldNotSayThatItIsAtWorkSendsNothingUnderALease(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	db, err := store.Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"),
		store.Options{Clock: clock, Steady: clock, Shared: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	var n sent
	wire := fenced{&n, db}
	send := func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://github.invalid/", http.NoBody)
		require.NoError(t, err)
		answer, err := wire.RoundTrip(r)
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	}
	leased := store.Holding(t.Context(), store.Lease{})
	require.NoError(t, db.Beat(t.Context()))
	require.NoError(t, send(leased))
	now = now.Add(11 * time.Second)
	require.ErrorIs(t, send(leased), errSilent)
	require.True(t, errors.Is(errSilent, context.Canceled), "it is not GitHub's fault")
	require.NoError(t, send(t.Context()), "no other server does what has no lease")
	require.NoError(t, db.Beat(t.Context()))
	require.NoError(t, send(leased))
	require.EqualValues(t, 3, n)
}
