package torture

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/story"
	"waybill/internal/torture/ledger"
)

// TestWhatASeedBreaksIsToldAsAStory checks that the story of a history parses, so that waybill simulate can play it.
func TestWhatASeedBreaksIsToldAsAStory(t *testing.T) {
	require.NoError(t, Prepare())
	for seed := range uint64(8) {
		plan := NewPlan(seed)
		plan.End = false
		var told string
		ear := &listener{
			base: context.Background(), settings: func(*config.Server) {}, said: func(string) {},
			wire: func(to http.RoundTripper) http.RoundTripper { return to },
			last: func(w *World) { told = w.ledger.Log.Told.Archive(&ledger.Failure{Rule: "nothing"}, seed) },
		}
		synctest.Test(t, func(t *testing.T) {
			_, err := playTo(ear, plan, Place{Folder: fast(t)}, false)
			require.NoError(t, err)
		})
		_, err := story.Parse("torture.txtar", []byte(told))
		require.NoError(t, err, "seed %d:\n%s", seed, told)
	}
}
