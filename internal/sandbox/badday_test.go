package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestFreightComesToProdWhateverTheDay plays the same on each kind of bad day, and on the worst one: freight comes to
// prod after a while, by one pull request for each stage, and nothing fails.
func TestFreightComesToProdWhateverTheDay(t *testing.T) {
	t.Parallel()
	days := map[string][]githubsim.Profile{"all": githubsim.Profiles()}
	for _, p := range githubsim.Profiles() {
		days[string(p)] = []githubsim.Profile{p}
	}
	for name, profiles := range days {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) {
				t.Parallel()
				s := newSite(t, restoredPipeline)
				s.github.Behave(seed, profiles...)
				s.do("merge #1 by ann", "wait 2h", "check smoke success on dev", "check direct success on direct", "wait 2h",
					"check prod success on prod", "wait 2h")
				s.github.Behave(seed)
				s.do("wait 1h")
				for _, file := range []string{"dev.yaml", "direct.yaml", "prod.yaml"} {
					require.Equal(t, s.source(1), s.hosts(file), file)
				}
				states := strings.Join(s.states("dev", "direct", "prod"), "; ")
				require.Equal(t, 3, strings.Count(states, "succeeded"), states)
				require.NotContains(t, states, "failed")
				for n, made := range s.numbers() {
					require.Len(t, made, 1, "promotion %s", n)
				}
			})
		}
	}
}
