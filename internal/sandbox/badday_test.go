package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// TestFreightComesToProdWhateverTheDay plays the same on each kind of bad day, and on the worst one: freight comes to
// prod after a while, by one pull request for each stage, and nothing fails. What GitHub does not send is known at the
// next resync, and what needs a permission that the App lacks goes on when the day is over.
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
				later := "wait 2h"
				if slices.Contains(profiles, githubsim.Noisy) {
					later = "wait 11h"
				}
				s.github.Behave(seed, profiles...)
				s.do("merge #1 by ann", later)
				s.passes("dev", "direct")
				s.do(later)
				s.passes("prod")
				s.do(later)
				s.github.Behave(seed)
				for range 2 {
					s.do("wait 1h")
					s.passes("dev", "direct", "prod")
				}
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

// passes has the check of each stage succeed that is being verified.
func (s *site) passes(stages ...promotion.StageName) {
	s.t.Helper()
	checks := map[promotion.StageName]string{"dev": "smoke", "direct": "direct", "prod": "prod"}
	for _, stage := range stages {
		if strings.Contains(strings.Join(s.states(stage), "; "), "verifying") {
			s.do(fmt.Sprintf("check %s success on %s", checks[stage], stage))
		}
	}
}
