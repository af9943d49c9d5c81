package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
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

// TestAReviewerWhoIsGoneKeepsNobodyElseFromBeingAsked: GitHub refuses a request for all of them as one.
func TestAReviewerWhoIsGoneKeepsNobodyElseFromBeingAsked(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(attentive, "reviewers: [ann]", "reviewers: [nobody-here, ann]", 1))
	require.NoError(t, s.meet("ann"))
	s.do("merge #1 by bob", "wait 1m")
	require.Equal(t, []string{"ann"}, s.askedToReview(1))
	asked := s.github.CountRequests(drawn["reviewers"])
	s.do("wait 12h")
	require.Equal(t, asked, s.github.CountRequests(drawn["reviewers"]), "who is gone is not asked again")
}

// askedToReview lists who is asked to review the pull request of a promotion.
func (s *site) askedToReview(n promotion.Number) (all []string) {
	s.t.Helper()
	listed := s.v3("ann", http.MethodGet, fmt.Sprintf("/pulls/%d/requested_reviewers", s.pull(n).Number), "")
	for _, one := range listed["users"].([]any) {
		all = append(all, one.(map[string]any)["login"].(string))
	}
	return all
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

// TestAttentionComesThoughGitHubDoesNotShowTheNewPullRequestYet: GitHub refuses once, in its words for that.
func TestAttentionComesThoughGitHubDoesNotShowTheNewPullRequestYet(t *testing.T) {
	t.Parallel()
	s := newSite(t, attentive)
	require.NoError(t, s.meet("ann"))
	s.github.Faults().FailNext(drawn["labels"], refusal(422, "Issue not found"))
	s.github.Faults().FailNext(drawn["reviewers"],
		refusal(422, "Could not resolve to a node with the global id of 'PR_kwDOABCD'."))
	s.do("merge #1 by bob", "wait 1m")
	require.ElementsMatch(t, []string{"promotion", "dev"}, s.pull(1).Labels)
	require.Equal(t, []string{"ann"}, s.askedToReview(1))
}

// TestATeamThatGitHubNeverFindsIsGivenUp: GitHub says the same of it as of a pull request that is new.
func TestATeamThatGitHubNeverFindsIsGivenUp(t *testing.T) {
	t.Parallel()
	s := newSite(t, attentive)
	never := refusal(422, "Could not resolve to a node with the global id of 'T_kwDOABCD'.")
	never.Times = -1
	s.github.Faults().FailNext(drawn["reviewers"], never)
	s.do("merge #1 by bob", "wait 10m")
	asked := s.github.CountRequests(drawn["reviewers"])
	require.Equal(t, 5, asked)
	s.do("wait 12h")
	require.Equal(t, asked, s.github.CountRequests(drawn["reviewers"]))
}
