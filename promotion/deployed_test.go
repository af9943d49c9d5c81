package promotion

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestADeploymentEndsWithItsPromotionAndWhenSomethingElseStandsThere (T39).
func TestADeploymentEndsWithItsPromotionAndWhenSomethingElseStandsThere(t *testing.T) {
	for state, want := range map[State]string{
		Queued: "", Running: "", WaitingForMerge: "", Verifying: "in_progress", Succeeded: "success", VerificationFailed: "failure",
	} {
		s := inState(state)
		require.Equal(t, want, s.Deployed(&s.Promotions[0]), state)
	}
	s := inState(Succeeded)
	s.Stays[0].Left = noon
	require.Equal(t, "inactive", s.Deployed(&s.Promotions[0]))
	s = inState(Succeeded)
	s.Removed = true
	require.Equal(t, "inactive", s.Deployed(&s.Promotions[0]))
}
