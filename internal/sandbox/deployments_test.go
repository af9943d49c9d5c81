package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// deploying is a pipeline of two stages, each with an environment.
var deploying = strings.NewReplacer("verify: [smoke]", "verify: [smoke], environment: dev", "verify: [e2e]",
	"verify: [e2e], environment: {name: production, url: \"https://acme.example\"}").Replace(twoStages)

// deployments lists the deployments at GitHub with all their states: "dev api#1 in dev: in_progress success".
func (s *site) deployments() []string {
	var all []string
	for _, d := range s.github.Deployments(home) {
		all = append(all, fmt.Sprintf("%s %s: %s", d.Environment, d.Description, strings.Join(d.States, " ")))
	}
	return all
}

func TestADeploymentFollowsItsPromotionAndEndsWhenItIsReplacedT39(t *testing.T) {
	t.Parallel()
	s := newSite(t, deploying)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"dev api#1 in dev: in_progress"}, s.deployments())
	d := s.github.Deployments(home)[0]
	require.Equal(t, string(s.promoted(1).MergeSHA), d.SHA)
	require.Contains(t, d.LogURL, "/pull/")
	require.Empty(t, d.URL, "nobody has said where to look")
	s.do("check smoke success on dev", "check e2e failure on prod", "merge #2 by ann")
	require.Equal(t, "https://acme.example", s.github.Deployments(home)[1].URL)
	require.Equal(t, []string{
		"dev api#1 in dev: in_progress success inactive", "production api#1 in prod: in_progress failure",
		"dev api#2 in dev: in_progress",
	}, s.deployments())
}

// TestADeploymentIsMadeOnceAndEndedWhateverIsLostF2T39 loses answers, and removes the stage while it verifies.
func TestADeploymentIsMadeOnceAndEndedWhateverIsLostF2T39(t *testing.T) {
	t.Parallel()
	s := newSite(t, deploying)
	require.NoError(t, s.meet("bob"))
	for _, route := range []githubsim.Route{
		{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/deployments"}, {Field: "createDeploymentStatus"},
	} {
		s.github.Faults().FailNext(route, githubsim.Fault{LoseReply: true})
	}
	s.do("merge #1 by ann", retry)
	require.Equal(t, []string{"dev api#1 in dev: in_progress in_progress"}, s.deployments())
	s.pushConfig(deploying[:strings.Index(deploying, "  dev:")] + "  qa: {from: api, set: {qa.yaml: {tag: x}}}\n")
	require.Equal(t, []string{"dev api#1 in dev: in_progress in_progress inactive"}, s.deployments())
}

func TestThereIsNoDeploymentWhereTheStageWaitsForSomebodyElses(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(deploying, "verify: [smoke]", `verify: [{deployment: "d*"}]`, 1))
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Empty(t, s.deployments())
}

// deployingEach is a rollout whose targets each have an environment.
const deployingEach = rolling + "    environment: {name: \"prod-${target.name}\", url: " +
	"\"https://${target.name}.example\"}\n"

func TestEachTargetOfARolloutHasADeploymentThatFollowsItsVerdictT39(t *testing.T) {
	t.Parallel()
	s := newSite(t, deployingEach)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"prod-eu-1 api#1 in prod/eu-1: in_progress"}, s.deployments())
	d := s.github.Deployments(home)[0]
	require.Equal(t, string(s.promoted(1).MergeSHA), d.SHA)
	require.Equal(t, "https://eu-1.example", d.URL)
	s.do("check e2e-eu-1 success on prod", "check e2e-us-1 success on prod")
	require.Equal(t, []string{
		"prod-eu-1 api#1 in prod/eu-1: in_progress success", "prod-us-1 api#1 in prod/us-1: in_progress success",
		"prod-us-2 api#1 in prod/us-2: in_progress",
	}, s.deployments())
	require.NotEqual(t, s.github.Deployments(home)[0].LogURL, s.github.Deployments(home)[1].LogURL,
		"each step has its pull request")
	s.do("check e2e-us-2 failure on prod", "comment #1 by ann: /unhold prod", "merge #2 by ann")
	require.Equal(t, []string{
		"prod-eu-1 api#1 in prod/eu-1: in_progress success inactive", "prod-us-1 api#1 in prod/us-1: in_progress success",
		"prod-us-2 api#1 in prod/us-2: in_progress failure", "prod-eu-1 api#2 in prod/eu-1: in_progress",
	}, s.deployments(), "what nobody has come to stands")
}

func TestTheDeploymentOfATargetStaysWhereARetryFindsItGoodT39(t *testing.T) {
	t.Parallel()
	s := newSite(t, deployingEach)
	s.do("merge #1 by ann", "check e2e-eu-1 success on prod", "check e2e-us-1 success on prod",
		"check e2e-us-2 failure on prod")
	s.do("comment #1 by ann: /unhold prod", "comment #1 by ann: /retry prod")
	require.Len(t, s.states("prod"), 2)
	s.do("check e2e-us-2 success on prod/us-2")
	require.Equal(t, []string{
		"prod-eu-1 api#1 in prod/eu-1: in_progress success", "prod-us-1 api#1 in prod/us-1: in_progress success",
		"prod-us-2 api#1 in prod/us-2: in_progress failure success",
	}, s.deployments(), "nothing new was brought anywhere")
}

func TestTheDeploymentOfATargetIsMadeOnceAndEndedWhateverIsLostF2T39(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(deployingEach, "{name: canary, targets: [eu-1]}, {name: rest, at-once: 2}",
		"{name: all, at-once: 3}", 1))
	require.NoError(t, s.meet("bob"))
	s.github.Faults().FailNext(githubsim.Route{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/deployments"},
		githubsim.Fault{LoseReply: true, Times: 2})
	s.do("merge #1 by ann", retry)
	require.Len(t, s.deployments(), 3, "targets of one commit are told apart")
	s.pushConfig(strings.Replace(deployingEach, "[eu-1, us-1, us-2]", "[eu-1, us-1]", 1))
	require.Contains(t, s.deployments()[2], "inactive", "the target is gone")
	s.pushConfig(deploying)
	for _, d := range s.deployments()[:3] {
		require.Contains(t, d, "inactive")
	}
}

func TestThereIsNoDeploymentWhereATargetWaitsForSomebodyElses(t *testing.T) {
	t.Parallel()
	s := newSite(t,
		strings.Replace(deployingEach, `verify: ["e2e-${target.name}"]`, `verify: [{deployment: "prod-${target.name}"}]`, 1))
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 prod verifying"}, s.states("prod"))
	require.Empty(t, s.deployments())
	s.do("deployment prod-eu-1 success on prod", "wait 10s")
	require.Contains(t, s.run(1, "prod").Title, "1/3 verified")
}
