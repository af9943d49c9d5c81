package gh

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestGitHubsTimeIsToldToTwoSeconds has our clock be off, either way.
func TestGitHubsTimeIsToldToTwoSeconds(t *testing.T) {
	there := noon.Add(700 * time.Millisecond)
	for _, ahead := range []time.Duration{-time.Hour, -time.Minute, -time.Second, 0, time.Second, time.Minute, time.Hour} {
		ours := there.Add(-ahead)
		hub := inMemory(t, nil)
		hub.config.Clock = func() time.Time { return ours }
		hub.clock.ours = hub.config.Clock
		hub.clock.heard(http.Header{"Date": {there.Format(http.TimeFormat)}}, ours)
		require.InDelta(t, 0, hub.Told().Sub(there).Seconds(), 2, ahead)
	}
}
