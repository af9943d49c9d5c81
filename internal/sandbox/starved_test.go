package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
)

// TestFreightThatLeavesBeforeItsSoakIsToldWithNumbers merges a change every ten minutes where freight is to soak for an
// hour.
func TestFreightThatLeavesBeforeItsSoakIsToldWithNumbers(t *testing.T) {
	t.Parallel()
	busy := strings.Replace(twoStages, "after: dev,", "after: {all: [dev], soak: 1h},", 1)
	require.NotEqual(t, twoStages, busy)
	s := newSite(t, busy)
	for _, merge := range []string{"merge #1 by ann", "merge #2 by ann", "merge #3 by ann", "merge #4 by ann"} {
		s.do(merge, "check smoke success on dev", "wait 10m")
	}
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.do("comment #4 by ann: /why prod")
	const words = "the last 3 that left dev had soaked for 10m of 1h at most, because new freight came every 10m; " +
		"intake: after-soak on dev lets each soak"
	require.Contains(t, asSeen(s.said(4)), words)
	s.do("comment #4 by ann: /status prod")
	require.Contains(t, asSeen(s.said(4)), words)
	var stage api.StageDetail
	s.get(token, pipelinePath+"/stages/prod", &stage)
	require.Contains(t, stage.Coming[0].Why.Sentence, words)
	require.Contains(t, s.page(s.signedIn("ann", "read"), "/pipelines/"+home+"/stages/prod").body, words)

	_, head := s.propose(strings.Replace(busy, "soak: 1h", "soak: 5m", 1), githubsim.PullSpec{Head: "short"})
	require.NotContains(t, s.configCheck(head).Summary, "had soaked")
	_, head = s.propose(strings.Replace(busy, "soak: 1h", "soak: 2h", 1), githubsim.PullSpec{Head: "long"})
	require.Contains(t, asSeen(s.configCheck(head).Summary), "nothing would come to `prod` by itself: "+
		strings.Replace(words, "1h", "2h", 1))
	kept := strings.Replace(busy, "dev: {", "dev: {intake: after-soak, ", 1)
	_, head = s.propose(kept, githubsim.PullSpec{Head: "kept"})
	require.NotContains(t, s.configCheck(head).Summary, "had soaked")
}
