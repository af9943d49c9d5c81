package torture

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"waybill/internal/torture/shape"
)

// besieged is how many histories are played.
const besieged = 8

// TestNobodyGoesAroundAGuard plays the first histories in which somebody wishes ill, and stages guard their files.
func TestNobodyGoesAroundAGuard(t *testing.T) {
	require.NoError(t, Prepare())
	folder := fast(t)
	for seed, played := uint64(1), 0; played < besieged; seed++ {
		drawn, _ := shape.Draw(seed)
		if !drawn.Beset || !slices.ContainsFunc(drawn.First.Stages, func(s shape.Stage) bool { return s.Guard }) {
			continue
		}
		played++
		assert.Nil(t, play(t, NewPlan(seed), folder, false).Failure, "seed %d", seed)
	}
}
