package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/promotion"
)

// opened returns how many pull requests promotions have.
func (w *wideWorld) opened() int { return len(promotionPulls(w.github, home)) }

// answers are the comments of Waybill on a pull request.
func (w *wideWorld) answers(pull int) []githubsim.Comment {
	return slices.DeleteFunc(w.github.Comments(home, pull), func(c githubsim.Comment) bool {
		return c.Author != "waybill[bot]"
	})
}

// TestMoreContentThanGitHubAllowsIsMadeInTimeA1 promotes one release to 200 stages, with a restart in between. GitHub
// has the limits that others have measured, and never has to refuse a pull request.
func TestMoreContentThanGitHubAllowsIsMadeInTimeA1(t *testing.T) {
	t.Parallel()
	const n = 200
	w := newWide(t, wide(n, `set: {s%d.yaml: {tag: "${api.short}"}}`, ""))
	w.github.LimitContent(20, 150)
	w.github.ForgetRequests()
	w.do(t, "merge #1 by ann")
	require.Equal(t, 18, w.opened(), "those of a minute")
	w.do(t, "wait 15m")
	require.Equal(t, 140, w.opened(), "those of an hour")
	w.do(t, "restart")
	w.do(t, "wait 30m")
	require.Equal(t, 140, w.opened(), "a restart brings no more")
	w.do(t, "wait 30m")
	require.Equal(t, map[promotion.State]int{promotion.Succeeded: n}, w.states(t))
	require.Equal(t, n, w.github.CountRequests(githubsim.Route{Field: "createPullRequest"}), "none was refused")
	asked := withoutUpkeep(w.github.Requests())
	t.Logf("%.2f requests a stage", float64(len(asked))/n)
	require.LessOrEqual(t, len(asked), 6*n, "who waits asks nothing")
}

// TestARollbackDoesNotWaitForTheContentOfPromotions has it go on while 12 promotions and an answer wait.
func TestARollbackDoesNotWaitForTheContentOfPromotions(t *testing.T) {
	t.Parallel()
	const n = 30
	w := newWide(t, wide(n, `set: {s%d.yaml: {tag: "${api.short}"}}`, ""))
	w.github.LimitContent(20, 150)
	w.do(t, "merge #1 by ann")
	w.do(t, "wait 1h")
	w.do(t, "merge #2 by ann")
	w.do(t, "wait 1h")
	require.Equal(t, map[promotion.State]int{promotion.Succeeded: 2 * n}, w.states(t))
	w.do(t, "merge #3 by ann")
	require.Equal(t, 2*n+18, w.opened())
	w.do(t, "comment #3 by ann: /status")
	w.do(t, "comment #3 by ann: /rollback s0")
	pulls := promotionPulls(w.github, home)
	require.Len(t, pulls, 2*n+19)
	require.Equal(t, "Roll back s0 to api#2: merged", pulls[2*n+18])
	require.Empty(t, w.answers(3))
	for _, c := range w.github.Comments(home, 3) {
		require.Equal(t, 1, c.Reactions["rocket"], c.Body)
	}
	w.do(t, "wait 2m")
	require.Equal(t, 3*n+1, w.opened())
	var said string
	for _, c := range w.answers(3) {
		said += c.Body
	}
	require.Contains(t, said, "On its way", "a question is answered later")
	require.NotContains(t, said, "goes back", "of what was done the reaction tells")
	require.Equal(t, 3*n+1, w.github.CountRequests(githubsim.Route{Field: "createPullRequest"}), "none was refused")
}

// TestWhyTellsThatAPromotionWaitsForContent has a release to three stages, while one pull request a minute may be made.
func TestWhyTellsThatAPromotionWaitsForContent(t *testing.T) {
	t.Parallel()
	s := newSite(t, wide(3, `set: {s%d.yaml: {tag: "${api.short}"}}`, ""))
	s.content = config.Content{PerMinute: 1, PerHour: 10}
	require.NoError(t, s.meet("ann"))
	s.quiet()
	ann := s.withTokens(s.acting("ann"))[0]
	s.do("merge #1 by ann")
	why := func(stage int) string {
		return strings.Join(s.gives(ann, "", fmt.Sprintf("why s%d api#1", stage)).Notes, "\n")
	}
	waiting := 0
	for stage := range 3 {
		if says := why(stage); strings.Contains(says, "It waits its turn: GitHub limits how many") {
			require.Contains(t, says, "There is room again at 2026-01-05 09:01 UTC")
			waiting++
		}
	}
	require.Equal(t, 2, waiting)
	s.do("wait 1h")
	for stage := range 3 {
		require.NotContains(t, why(stage), "GitHub limits")
	}
}
