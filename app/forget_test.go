package app

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/loop"
	"waybill/app/pipelines"
	"waybill/store"
)

// elderly is an App without GitHub. The test moves its clock, and its worker removes old rows.
type elderly struct {
	t   *testing.T
	app *App
	now time.Time
}

func newElderly(t *testing.T, policy string) *elderly {
	e := &elderly{t: t, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return e.now }
	db, err := store.Open(context.Background(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"),
		store.Options{Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	e.app = New(Options{Store: db, Clock: clock, Policy: pipelines.ServerPolicy{Text: []byte(policy)}})
	return e
}

// accept stores a webhook, and handles it if handled is true.
func (e *elderly) accept(guid string, handled bool) {
	_, err := e.app.Store.Accept(e.t.Context(), store.Delivery{Source: "github", GUID: guid, Event: "push"})
	require.NoError(e.t, err)
	e.update(func(tx *store.Tx) error {
		if err := tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: guid}); err != nil || !handled {
			return err
		}
		d, _, err := tx.Inbox.ClaimDelivery(store.Claim{Lease: time.Minute})
		if err != nil {
			return err
		}
		return tx.Inbox.DeliveryHandled(d)
	})
}

func (e *elderly) update(fn func(tx *store.Tx) error) {
	e.t.Helper()
	require.NoError(e.t, e.app.Store.Update(e.t.Context(), fn))
}

// forget advances the clock while the other workers are idle.
func (e *elderly) forget(d time.Duration) {
	for until := e.now.Add(d); e.now.Before(until); {
		_, next, err := e.app.loop.ForgetNext(e.t.Context())
		require.NoError(e.t, err)
		require.True(e.t, next.After(e.now))
		e.now = next
	}
}

// known reports whether a webhook would be recognised if it came again.
func (e *elderly) known(guid string) bool {
	fresh, err := e.app.Store.Accept(e.t.Context(), store.Delivery{Source: "github", GUID: guid, Event: "push"})
	require.NoError(e.t, err)
	return !fresh
}

// lines returns the number of lines left in the audit trail, after it has verified them.
func (e *elderly) lines() (n int64) {
	e.update(func(tx *store.Tx) (err error) {
		n, err = tx.Audit.CheckTrail()
		return err
	})
	return n
}

const oneDay = 24 * time.Hour

func TestWhatIsOldIsForgottenByItselfAndTheAuditTrailIsNot(t *testing.T) {
	e := newElderly(t, "")
	e.accept("old", true)
	e.now = e.now.Add(100 * oneDay)
	e.accept("young", true)
	e.forget(time.Hour)
	require.True(t, e.known("young"))
	require.False(t, e.known("old"))
	require.Equal(t, int64(2), e.lines())
}

func TestTheServersPolicySaysWhatIsForgottenAndTheRestOfTheTrailHolds(t *testing.T) {
	e := newElderly(t, "version: 1\nretention: {deliveries: 200d, audit: 90d}\n")
	for range 3 {
		e.accept(e.now.String(), true)
		e.now = e.now.Add(60 * oneDay)
	}
	e.forget(time.Hour)
	require.Equal(t, int64(1+1), e.lines(), "the first two are older than 90 days; that they went is a line")
	e.accept("next", true)
	require.Equal(t, int64(2+1), e.lines())
	require.True(t, e.known("next"))
}

func TestOthersGoFirstButNotForEver(t *testing.T) {
	e := newElderly(t, "")
	e.accept("old", true)
	e.now = e.now.Add(100 * oneDay)
	e.accept("waiting", false)
	e.forget(loop.ForgetFirst + loop.ForgetLater/2)
	require.True(t, e.known("old"))
	e.forget(12 * time.Hour)
	require.False(t, e.known("old"))
}
