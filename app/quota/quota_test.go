package quota

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestASharedQuotaIsTakenFromAllOrFromNone: what one share refuses costs the other nothing.
func TestASharedQuotaIsTakenFromAllOrFromNone(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	q := New()
	ann, all := Share{Of: "ann", Most: 1}, Share{Of: "all", Most: 2}
	require.Zero(t, q.Take(now, ann, all))
	now = now.Add(10 * time.Minute)
	require.Equal(t, 50*time.Minute, q.Take(now, ann, all))
	require.Zero(t, q.Take(now, Share{Of: "bea", Most: 1}, all), "ann's second took nothing from all")
	require.Equal(t, 50*time.Minute, q.Take(now, Share{Of: "cem", Most: 1}, all))
	now = now.Add(50 * time.Minute)
	require.Zero(t, q.Take(now, ann, all), "an hour later")
}
