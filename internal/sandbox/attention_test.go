package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// attentive is a pipeline whose pull requests people are to find.
var attentive = strings.Replace(oneStage, "{from: api, set",
	"{from: api, pull-request: {labels: [promotion, dev], reviewers: [ann], assignees: [ann]}, merge: manual, set", 1)

// drawn are the requests that put something on a pull request.
var drawn = map[string]githubsim.Route{
	"labels":    {Method: http.MethodPost, Path: "/repos/{owner}/{repo}/issues/{issue_number}/labels"},
	"assignees": {Method: http.MethodPost, Path: "/repos/{owner}/{repo}/issues/{issue_number}/assignees"},
	"reviewers": {Method: http.MethodPost, Path: "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers"},
}

func TestAPullRequestGetsTheAttentionThatThePipelineFileAsksFor(t *testing.T) {
	t.Parallel()
	s := newSite(t, attentive)
	s.do("merge #1 by ann", "wait 1m")
	require.Equal(t, []string{"Promote api#1 to dev: open"}, s.ours())
	require.ElementsMatch(t, []string{"promotion", "dev"}, s.pull(1).Labels)
	for what, route := range drawn {
		require.Equal(t, 1, s.github.CountRequests(route), what)
	}
	s.do("wait 1h")
	for what, route := range drawn {
		require.Equal(t, 1, s.github.CountRequests(route), what)
	}
}

// TestAttentionThatGitHubRefusesFailsNoPromotion asks somebody for a review who may not read the repository, and has
// GitHub fail for a while.
func TestAttentionThatGitHubRefusesFailsNoPromotion(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.NewReplacer("reviewers: [ann]", "reviewers: [nobody-here]", "merge: manual, ", "").
		Replace(attentive))
	s.github.Faults().FailNext(drawn["labels"], githubsim.Fault{Status: http.StatusBadGateway, Times: 2})
	s.do("merge #1 by ann", "check smoke success on dev", "wait 1h")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
	require.ElementsMatch(t, []string{"promotion", "dev"}, s.pull(1).Labels)
	asked := s.github.CountRequests(drawn["reviewers"])
	require.LessOrEqual(t, asked, 3)
	s.do("wait 12h")
	require.Equal(t, asked, s.github.CountRequests(drawn["reviewers"]), "it is given up")
}
