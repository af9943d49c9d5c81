package act

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// TestNothingIsPlannedOrMergedForAStageThatIsGone has effects of a stage that was removed after the decision.
func TestNothingIsPlannedOrMergedForAStageThatIsGone(t *testing.T) {
	for _, kind := range promotion.EffectKinds() {
		if kind.Traits&promotion.OfStage == 0 {
			continue
		}
		verb := kind.Verb
		j := &job{Effect: store.Effect{Effect: promotion.Effect{Verb: verb}}}
		write, err := new(Executor).perform(t.Context(), j)
		require.NoError(t, err, verb)
		require.Nil(t, write, verb)
		require.True(t, j.idle, verb)
	}
}

// TestANameIsFitForABranch has names that Git would not take as a part of a branch.
func TestANameIsFitForABranch(t *testing.T) {
	for name, fit := range map[string]string{
		"api#142": "api-142", "1.0...2": "1.0.2", "1.0..2": "1.0.2", "1.4.2.lock": "1.4.2-lock", ".lock": "lock",
		"a.lock.lock": "a.lock-lock", "-.x.-": "x", strings.Repeat("x", 55) + ".lock.more": strings.Repeat("x", 55) + "-lock",
	} {
		require.Equal(t, fit, slug(name), name)
	}
}

// TestEachEffectOfTheTableHasAnExecutor checks that the table of effects and the program name the same executors, each
// once.
func TestEachEffectOfTheTableHasAnExecutor(t *testing.T) {
	var named []promotion.Executor
	for _, kind := range promotion.EffectKinds() {
		named = append(named, kind.Executor)
	}
	require.ElementsMatch(t, named, slices.Collect(maps.Keys(executors)))
}
