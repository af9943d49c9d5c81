package work

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestABackoffDoublesUpToItsEnd(t *testing.T) {
	b := backoff{2 * time.Second, 5 * time.Minute}
	require.Equal(t, 2*time.Second, b.After(0, 0))
	require.Equal(t, 2*time.Second, b.After(1, 0))
	require.Equal(t, 8*time.Second, b.After(3, 0))
	require.Equal(t, 5*time.Minute, b.After(1_000_000, 0))
}

func TestABackoffIsWhatTheOtherSideAsksFor(t *testing.T) {
	b := backoff{2 * time.Second, 5 * time.Minute}
	require.Equal(t, time.Hour, b.After(1, time.Hour))
	require.Equal(t, 10*time.Second, b.After(9, 10*time.Second), "it knows when it can be asked again")
	require.Equal(t, 2*time.Second, b.After(1, time.Millisecond))
}
