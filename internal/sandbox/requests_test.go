package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// twoStages is a pipeline of two stages in a row, each verified by a check.
const twoStages = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke]}
  prod: {from: api, after: dev, set: {prod.yaml: {tag: "${api.short}"}}, verify: [e2e]}
`

const (
	// intake is the number of API requests that make freight of a merged pull request: one, for the list of its files.
	intake = 1
	// hop is the limit of API requests for one promotion, from the time its freight is available until it has succeeded,
	// without comments, labels and deployments. fullHop is the limit with them.
	hop     = 8
	fullHop = 12
)

func TestAHopCostsAtMostTwelveRequestsWithEverySurfaceOn(t *testing.T) {
	t.Parallel()
	s := newSite(t, deploying)
	s.do("merge #1 by ann", "check smoke success on dev", "check e2e success on prod", "wait 1m")
	s.github.ForgetRequests()
	s.do("merge #2 by ann", "wait 1m", "check smoke success on dev", "wait 1m", "check e2e success on prod", "wait 1m")
	require.Equal(t, []string{"p4 api#2 prod succeeded"}, s.states("prod")[1:])
	require.Contains(t, s.sticky(2).Body, "| `prod` | ✅ Verified |")
	require.Equal(t, []string{
		"dev api#1 in dev: in_progress success inactive", "production api#1 in prod: in_progress success inactive",
		"dev api#2 in dev: in_progress success", "production api#2 in prod: in_progress success",
	}, s.deployments())
	s.atMost(intake + fullHop + fullHop)
}

// TestAHopCostsAtMostEightRequestsAndAnIdleHourNone counts the program's requests to GitHub (docs/cases.md way 8). It
// leaves out requests for tokens: a token lasts an hour and serves every promotion of a repository. Another freight has
// gone before, so that requests which only the first promotion needs (the repository's id) are not counted. What the
// App may do is asked for every ten minutes, whatever happens.
func TestAHopCostsAtMostEightRequestsAndAnIdleHourNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages+"comments: false\n")
	s.do("merge #1 by ann", "check smoke success on dev", "check e2e success on prod")
	s.github.ForgetRequests()
	s.do("merge #2 by ann", "check smoke success on dev")
	s.atMost(intake + hop + hop) // the second hop has begun
	s.do("check e2e success on prod")
	require.Equal(t, []string{
		"p1 api#1 dev succeeded", "p3 api#2 dev succeeded", "p2 api#1 prod succeeded", "p4 api#2 prod succeeded",
	}, s.states("dev", "prod"))
	s.atMost(intake + hop + hop)

	s.github.ForgetRequests()
	s.do("wait " + time.Hour.String())
	s.atMost(0)
	for _, route := range []string{"/app", "/app/installations"} { // what the App may do
		require.LessOrEqual(t, s.github.CountRequests(githubsim.Route{Path: route}), 7, route)
	}
}

// quarrel is the limit of API requests for one promotion, whatever others do: twenty rounds of making its commit anew,
// and what is told of its end. GitHub gives an installation at least 5,000 an hour.
const quarrel = 20*10 + 15

// TestAQuarrelAboutAFileCostsAPromotionNoMoreThanItsShareF23 overwrites the stage's file each time the promotion has
// made its commit, until the promotion gives up.
func TestAQuarrelAboutAFileCostsAPromotionNoMoreThanItsShareF23(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	s.hearsOnce()
	s.github.ForgetRequests()
	for range 25 {
		s.unprotect()
		s.github.HoldWebhooks() // Waybill learns of the push when the branch is protected again
		s.do("push dev.yaml by bob")
		require.NoError(t, s.github.Protect(home, "main", githubsim.Protection{RequiredChecks: []string{"ci"}}))
		s.github.ReleaseWebhooks()
		s.do("wait 1m") // it rests before its later rounds
	}
	require.Equal(t, []string{"p1 api#1 dev failed"}, s.states("dev"))
	s.do("wait 1m") // comments are written after a delay
	s.atMost(quarrel)
	s.github.ForgetRequests()
	s.do("wait 1h")
	s.atMost(0)
}

// atMost fails with the list of requests if there were more than n.
func (s *site) atMost(n int) {
	s.t.Helper()
	asked := withoutUpkeep(s.github.Requests())
	require.LessOrEqual(s.t, len(asked), n, "\n"+strings.Join(asked, "\n"))
}

// upkeep are requests for tokens, missed deliveries, installations, and what the App may do. They count against the
// App's own rate limit.
var upkeep = []string{
	listed.Path, "/app", "/app/installations", "/app/installations/{installation_id}",
	"/app/installations/{installation_id}/access_tokens", "/repos/{owner}/{repo}/installation",
}

// withoutUpkeep lists requests without those that do not count.
func withoutUpkeep(all []githubsim.RecordedRequest) []string {
	var list []string
	for _, r := range all {
		if !slices.Contains(upkeep, r.Route) {
			list = append(list,
				fmt.Sprintf("%s %s %s -> %d", r.Method, r.Path, strings.Join(r.Fields, " "), r.Status))
		}
	}
	return list
}
