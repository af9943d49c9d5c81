package record

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim/record"
)

// TestTheSimulatorDoesWhatTheSimulatorDoes plays everything against two simulators: nothing differs, nothing is
// skipped, and each play sees something.
func TestTheSimulatorDoesWhatTheSimulatorDoes(t *testing.T) {
	var all [2]record.Recording
	for i := range all {
		s, host, err := Simulator()
		require.NoError(t, err)
		all[i] = Record(t.Context(), host)
		require.NoError(t, s.Close())
	}
	require.Empty(t, record.Differences(all[0], all[1]))
	require.Len(t, all[0].Plays, len(plays))
	for _, p := range all[0].Plays {
		require.Empty(t, p.Skipped, p.Name)
		require.NotEmpty(t, p.Facts, p.Name)
	}
}

// TestADifferenceIsNoticed has the simulator answer otherwise.
func TestADifferenceIsNoticed(t *testing.T) {
	s, host, err := Simulator()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	usual := Record(t.Context(), host)
	s.SwitchMessages(false)
	require.NotEmpty(t, record.Differences(Record(t.Context(), host), usual))
	host.Channel = "C0ELSEWHERE"
	require.Contains(t, record.Differences(Record(t.Context(), host), usual),
		"limits: 50 sections of 9 characters: channel_not_found; the simulator: ok")
}
