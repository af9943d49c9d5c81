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
	require.LessOrEqual(t, len(c.turns), mostTurns+int(spacing/(10*time.Millisecond)))
	require.Zero(t, c.turn("#deploys"))
	require.Equal(t, spacing, c.turn("#deploys"), "who had one just now waits")
}

// TestWhoWaitsIsGivenASecondOfItsOwn has 400 messages for one channel, and each come again when it was told to.
func TestWhoWaitsIsGivenASecondOfItsOwn(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	c := New(Config{Clock: func() time.Time { return now }})
	const messages = 400
	due := make([]time.Time, messages)
	for i := range due {
		due[i] = now
	}
	tries, posted := 0, 0
	for ; posted < messages; now = now.Add(spacing) {
		for i, at := range due {
			if at.IsZero() || at.After(now) {
				continue
			}
			tries++
			if wait := c.turn("#deploys"); wait > 0 {
				due[i] = now.Add(max(wait, 2*time.Second)) // the shortest delay of a retry
				continue
			}
			posted++
			due[i] = time.Time{}
		}
	}
	require.Less(t, tries, 3*messages)
}

// TestAfterALongLineAChannelIsFreeAgain: nobody comes back of those who were told to.
func TestAfterALongLineAChannelIsFreeAgain(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	c := New(Config{Clock: func() time.Time { return now }})
	for range 10000 {
		require.LessOrEqual(t, c.turn("#deploys"), longestLine)
	}
	now = now.Add(spacing)
	require.Zero(t, c.turn("#deploys"))
}
