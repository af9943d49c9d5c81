package decide

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"

	"github.com/stretchr/testify/require"
)

func TestAGuardedStageIsLookedAtAgainWhenAFreezeBeginsAndEnds(t *testing.T) {
	next, end := noon.Add(3*time.Hour), noon.Add(time.Hour)
	s := inState(promotion.Succeeded)
	s.Stage.Guard = true
	s.Stage.Policy.Freezes = []promotion.Freeze{{Window: fixture.Window{Opens: next}}}
	require.Equal(t, next, Decide(s, noon).Wake)
	s.Stage.Policy.Freezes = append(s.Stage.Policy.Freezes,
		promotion.Freeze{Window: fixture.Window{Closes: end, Opens: next}})
	require.Equal(t, end, Decide(s, noon).Wake)
	s.Stage.Guard = false
	require.Zero(t, Decide(s, noon).Wake, "nobody waits for that")
}
