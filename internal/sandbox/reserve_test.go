package sandbox

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// TestThatWhichIsLeftOfTheHourIsForPromotions has 8 promotions and a rollback go on with the requests and points that
// are left of an hour, while an answer, check runs and a resync wait for the next one. GitHub never has to refuse any.
func TestThatWhichIsLeftOfTheHourIsForPromotions(t *testing.T) {
	t.Parallel()
	const n = 8
	w := newWide(t, wide(n, `set: {s%d.yaml: {tag: "${api.short}"}}`, ""))
	for _, happening := range []string{"merge #1 by ann", "wait 2m", "merge #2 by ann", "wait 2m"} {
		w.do(t, happening)
	}
	require.Equal(t, map[promotion.State]int{promotion.Succeeded: 2 * n}, w.states(t))
	w.github.LeaveOfRateLimit(150)
	w.github.ForgetRequests()
	before := len(w.answers(2))
	w.do(t, "comment #2 by ann: /status")
	w.do(t, "merge #3 by ann")
	require.Equal(t, map[promotion.State]int{promotion.Succeeded: 3 * n}, w.states(t))
	w.do(t, "comment #3 by ann: /rollback s0")
	w.do(t, "resync")
	w.do(t, "wait 10m")
	pulls := promotionPulls(w.github, home)
	require.Len(t, pulls, 3*n+1)
	require.Equal(t, "Roll back s0 to api#2: merged", pulls[3*n])
	require.Len(t, w.answers(2), before)
	require.Zero(t, w.github.CountRequests(githubsim.Route{Field: "createCheckRun"}))
	spent := len(w.github.Requests())
	w.do(t, "wait 1h")
	require.Greater(t, len(w.answers(2)), before)
	require.NotZero(t, w.github.CountRequests(githubsim.Route{Field: "createCheckRun"}))
	require.Greater(t, len(w.github.Requests()), spent+n, "the resync came")
	for _, one := range w.github.Requests() {
		require.NotContains(t, []int{http.StatusForbidden, http.StatusTooManyRequests}, one.Status)
	}
}
