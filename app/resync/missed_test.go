package resync

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// TestAMissedWebhookCountsOnce has a database that runs the function of each transaction twice.
func TestAMissedWebhookCountsOnce(t *testing.T) {
	db, err := store.Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), store.Options{Rehearse: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	missed := []store.Missed{{GUID: "a", Event: "push", First: now}, {GUID: "b", Event: "push", First: now}}
	found := 0
	require.NoError(t, db.Update(t.Context(), recordMissed(missed, &found)))
	require.Equal(t, 2, found)
	require.NoError(t, db.Update(t.Context(), recordMissed(missed, &found)))
	require.Zero(t, found, "they are known")
}
