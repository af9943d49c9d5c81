package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
)

// discovering is a pipeline whose stage prod finds its targets by a glob.
const discovering = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  prod:
    from: api
    targets: clusters/prod-*/values.yaml
    set: {"${target.path}": {tag: "${api.number}"}}
    rollout: [{name: canary, targets: [eu-1]}, {name: rest, at-once: 2}]
    verify: ["e2e-${target.name}"]
`

// trees is the request that lists a folder.
var trees = githubsim.Route{Method: http.MethodGet, Path: "/repos/{owner}/{repo}/git/trees/{tree_sha}"}

// inClusters returns a pipeline file together with the files of some targets.
func inClusters(pipeline string, names ...string) string {
	var b strings.Builder
	b.WriteString(pipeline)
	for _, name := range names {
		fmt.Fprintf(&b, "-- clusters/prod-%s/values.yaml --\ntag: none\n", name)
	}
	return b.String()
}

// push changes files of the default branch and returns the commit. A nil content removes the file.
func (s *site) push(files map[string]*string) string {
	s.t.Helper()
	sha, err := s.github.PushFiles(home, "main", "bob", "Change by hand", files)
	require.NoError(s.t, err)
	s.quiet()
	return sha
}

func TestTargetsAreLookedForWhenOneMayComeOrGoF35(t *testing.T) {
	t.Parallel()
	s := newSite(t, inClusters(discovering, "eu-1", "us-1", "us-2"))
	require.Equal(t, 1, s.github.CountRequests(trees))
	s.do("merge #1 by ann", "check e2e-eu-1 success on prod", "check e2e-us-1 success on prod")
	s.push(map[string]*string{
		"clusters/prod-eu-1/values.yaml": githubsim.Text("tag: \"1\" # edited\n"), "clusters/README.md": githubsim.Text("\n"),
	})
	s.do("restart")
	require.Equal(t, 1, s.github.CountRequests(trees), "none has come or gone, and what was found is kept")
	s.push(map[string]*string{
		"clusters/prod-us-2/values.yaml": nil, "clusters/prod-us-3/values.yaml": githubsim.Text("tag: none\n"),
	})
	require.Contains(t, []int{2, 3}, s.github.CountRequests(trees),
		"one for the push, and one for the resync that the new matcher asks for, if a promotion has moved the branch by then")
	s.do("check e2e-us-3 success on prod")
	require.Equal(t, "Verified (3/3 verified)", s.run(1, "prod").Title, "what comes catches up")
	s.do("wait 11h", "restart")
	require.Equal(t, 3, s.github.CountRequests(trees), "nothing has changed since the branch was moved")
	s.do("lose webhooks", "target prod/us-4 appears", "wait 11h")
	require.Equal(t, 4, s.github.CountRequests(trees))
	s.do("deliver webhooks", "check e2e-us-4 success on prod", "merge #2 by ann", "check e2e-eu-1 success on prod")
	require.Contains(t, s.standing("prod", "api#2"), "1/4 verified, 2 updating, 1 to come")
	require.Equal(t, "Promote api#2 to prod (rest: us-1, us-3): merged", s.ours()[len(s.ours())-1])
}

func TestTargetsThatCannotBeLookedForStayAsTheyWereF8R6(t *testing.T) {
	t.Parallel()
	s := newSite(t, inClusters(discovering, "eu-1", "us-1", "us-2"))
	s.do("merge #1 by ann")
	s.github.Faults().FailNext(trees, githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	s.push(map[string]*string{"clusters/prod-us-2/values.yaml": nil})
	s.do("wait 11h") // includes a resync
	s.do("check e2e-eu-1 success on prod")
	require.Equal(t, "Promote api#1 to prod (rest: us-1): merged", s.ours()[1], "whose file is not there waits")
	s.do("check e2e-us-1 success on prod")
	require.Contains(t, s.run(1, "prod").Title, "2/3 verified, 1 waiting", "but is not known to be gone")
	s.github.Faults().Clear()
	s.do("wait 11h", "merge #2 by ann")
	require.Contains(t, s.run(2, "prod").Title, "0/2 verified", "until GitHub has answered")
}

func TestFilesThatMakeNoGoodTargetsLeaveThoseInForceThatAreT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, inClusters(discovering, "eu-1", "us-1"))
	sha := s.push(map[string]*string{"clusters/prod-us 2/values.yaml": githubsim.Text("tag: none\n")})
	require.Equal(t, "failure", s.configCheck(sha).Conclusion)
	require.Contains(t, s.configCheck(sha).Summary, `but "us 2" cannot be the name of a target`)
	s.do("merge #1 by ann")
	require.Contains(t, s.run(1, "prod").Title, "0/2 verified")
	sha = s.push(map[string]*string{"clusters/prod-us 2/values.yaml": nil})
	require.Equal(t, "success", s.configCheck(sha).Conclusion)

	s.github.ListAtMost(3)
	sha = s.push(map[string]*string{"clusters/prod-us-2/values.yaml": githubsim.Text("tag: none\n")})
	require.Contains(t, s.configCheck(sha).Summary, "clusters has more files than GitHub lists at once",
		"a part of the targets is none")
	require.Equal(t, []string{"p1 api#1 prod verifying"}, s.states("prod"))
}

func TestAPipelineComesIntoForceWithItsFirstTarget(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	sha := s.pushConfig(discovering)
	require.Contains(t, s.configCheck(sha).Summary, `"clusters/prod-*/values.yaml" finds nothing in the repository`)
	sha = s.push(map[string]*string{"clusters/prod-eu-1/values.yaml": githubsim.Text("tag: none\n")})
	require.Equal(t, "success", s.configCheck(sha).Conclusion)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"Promote api#1 to prod (canary: eu-1): merged"}, s.ours())
}

func TestAProposedGlobTellsWhichTargetsItFindsInThePullRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, inClusters(oneStage, "eu-1"))
	_, head := s.propose("", githubsim.PullSpec{Head: "mine", Fork: true, Files: map[string]*string{
		config.PipelinePath: githubsim.Text(discovering), "clusters/prod-us-1/values.yaml": githubsim.Text("tag: none\n"),
	}})
	require.Equal(t, "success", s.configCheck(head).Conclusion)
	require.Contains(t, s.configCheck(head).Summary, "`canary` (`eu-1`); `rest` (`us-1`), 2 at once")
	_, head = s.propose(strings.Replace(discovering, "prod-*", "stage-*", 1), githubsim.PullSpec{Head: "other"})
	require.Contains(t, s.configCheck(head).Summary, `"clusters/stage-*/values.yaml" finds nothing`)
}

// TestTenThousandTargetsAreFoundByOneRequest finds the targets, reads them again after a restart, and updates the
// first.
func TestTenThousandTargetsAreFoundByOneRequest(t *testing.T) {
	t.Parallel()
	file := strings.NewReplacer("prod-*/values.yaml", "*/*.yaml", "targets: [eu-1]",
		"targets: [r0-t0]").Replace(discovering)
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "-- clusters/r%d/t%d.yaml --\ntag: none\n", i/100, i%100)
	}
	s := newSite(t, file+b.String())
	require.Equal(t, 1, s.github.CountRequests(trees))
	s.do("restart", "merge #1 by ann")
	require.Equal(t, "Merged, verifying (0/10000 verified, 1 updating, 9999 to come): waiting for e2e-r0-t0",
		s.run(1, "prod").Title)
	require.Equal(t, 1, s.github.CountRequests(trees))
}
