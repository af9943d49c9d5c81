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
var deploying = strings.NewReplacer("verify: [smoke]", "verify: [smoke], environment: dev", "verify: [e2e]", "verify: [e2e], environment: {name: production, url: \"https://acme.example\"}").Replace(twoStages)

// deployments lists those that GitHub has and every state that each was in: "dev api#1 in dev: in_progress success".
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
		"dev api#1 in dev: in_progress success inactive", "production api#1 in prod: in_progress failure", "dev api#2 in dev: in_progress",
	}, s.deployments())
}

// TestADeploymentIsMadeOnceAndEndedWhateverIsLostF2T39 loses answers, and takes the stage away while it verifies.
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
