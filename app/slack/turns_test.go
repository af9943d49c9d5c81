package slack

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestChannelsThatMayHaveAMessageAgainAreForgotten names ever new channels, as the pipeline files of a tenant may.
func TestChannelsThatMayHaveAMessageAgainAreForgotten(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	c := New(Config{Clock: func() time.Time { return now }})
	for i := range 3 * mostTurns {
		require.Zero(t, c.turn(fmt.Sprint("#channel-", i)))
		now = now.Add(10 * time.Millisecond)
	}
	require.LessOrEqual(t, len(c.next), mostTurns+int(spacing/(10*time.Millisecond)))
	require.Zero(t, c.turn("#deploys"))
	require.Equal(t, spacing, c.turn("#deploys"), "who had one just now waits")
}
