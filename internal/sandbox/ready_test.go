package sandbox

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// demanding is a pipeline whose targets must show a signal of each kind.
const demanding = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  prod:
    from: api
    targets: [eu-1, us-1, us-2]
    set: {"${target.name}.yaml": {tag: "${api.number}"}}
    rollout: [{name: all, at-once: 3}]
    verify: ["e2e-${target.name}"]
    ready: [{environment: "prod-${target.name}"}, {check: "smoke-${target.name}"},
      {status: "up/${target.name}"}, {deployment: "infra-${target.name}"}]
`

// existing is the request for the existing environments. Waybill makes one whenever it checks which targets are ready.
var existing = githubsim.Route{Method: http.MethodGet, Path: "/repos/{owner}/{repo}/environments"}

func TestARolloutWaitsForItsTargetsAndSaysForWhatF34(t *testing.T) {
	t.Parallel()
	s := newSite(t, demanding)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 prod queued"}, s.states("prod"))
	require.Contains(t, s.standing("prod", "api#1"), "check smoke-eu-1 has not been reported")
	require.Equal(t, 1, s.github.CountRequests(existing))
	s.do("comment #1 by ann: /plan prod")
	_, text := s.answered(1)
	require.Contains(t, text, "Not ready, and left out until they are")
	require.Contains(t, text, "eu&#45;\u200b1 does not exist, check smoke")
	s.do("target prod/eu-1 ready", "target prod/us-2 ready", "check e2e-eu-1 success on prod")
	require.Contains(t, s.run(1, "prod").Title, "1/3 verified, 1 updating, 1 waiting",
		"one was ready when the batch began, and another catches up")
	s.do("check e2e-us-2 success on prod")
	require.Equal(t, "Verified (2/3 verified, 1 waiting)", s.run(1, "prod").Title)
	require.Contains(t, s.run(1, "prod").Summary, "- waiting: `us-1` (not ready: `environment prod-us-1 does not exist`")
}

func TestATargetIsAskedForWithMorePatienceUntilItsEnvironmentExistsF34(t *testing.T) {
	t.Parallel()
	s := newSite(t, demanding)
	s.do("target prod/eu-1 ready", "target prod/us-1 ready", "target prod/us-2 ready")
	require.NoError(t, s.github.SetEnvironment(home, "prod-us-2", false))
	s.do("merge #1 by ann", "check e2e-eu-1 success on prod", "check e2e-us-1 success on prod")
	require.Equal(t, "Verified (2/3 verified, 1 waiting)", s.run(1, "prod").Title)
	asked := s.github.CountRequests(existing)
	s.do("wait 1h")
	require.Equal(t, asked+5, s.github.CountRequests(existing), "after 1, 3, 7, 15 and 31 minutes")
	require.NoError(t, s.github.SetEnvironment(home, "Prod-US-2", true))
	s.do("wait 5m", "check e2e-us-2 success on prod")
	require.Equal(t, "Verified (3/3 verified)", s.run(1, "prod").Title)
	asked = s.github.CountRequests(existing)
	s.do("wait 9h", "target prod/us-2 unready")
	require.Equal(t, asked, s.github.CountRequests(existing), "nobody waits")
}

func TestNothingBeginsWhileGitHubCannotSayWhichTargetsAreReadyF34R6(t *testing.T) {
	t.Parallel()
	s := newSite(t, demanding)
	s.do("target prod/eu-1 ready", "target prod/us-1 ready", "target prod/us-2 ready")
	s.github.Faults().FailNext(existing, githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	s.do("merge #1 by ann", "wait 30m")
	require.Equal(t, []string{"p1 api#1 prod queued"}, s.states("prod"))
	require.Contains(t, s.standing("prod", "api#1"), "waiting for an answer from GitHub")
	s.github.Faults().Clear()
	s.do("wait 5m", "check e2e-eu-1 success on prod", "check e2e-us-1 success on prod", "check e2e-us-2 success on prod")
	require.Equal(t, "Verified (3/3 verified)", s.run(1, "prod").Title)
}

// TestATargetIsReadyByWhatIsReportedWhereItsFilesAreF34: a signal of that name in another repository does not count.
func TestATargetIsReadyByWhatIsReportedWhereItsFilesAreF34(t *testing.T) {
	t.Parallel()
	s := newSite(t, spread+"    ready: [{status: up}]\n")
	s.do("merge #1 by ann", "target prod/home ready", "check e2e-home success on prod/home",
		"check e2e-also success on prod/also")
	require.Equal(t, "Verified (2/4 verified, 2 waiting)", s.run(1, "prod").Title)
	s.do("target prod/live ready", "check e2e-live success on prod/live")
	require.Equal(t, "Verified (3/4 verified, 1 waiting)", s.run(1, "prod").Title)
	require.Equal(t, []string{"home 1", "eu none", "live 1", "also 1"}, s.spreadOut())
}
