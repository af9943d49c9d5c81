package sandbox

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// passing holds refusals of GitHub's after which the same request succeeds: the request, and the answer.
var passing = map[string]struct {
	route string
	fault githubsim.Fault
}{
	// osunyorg/admin#3705
	"the tree is not visible yet": {"commit", githubsim.Fault{Status: 422, Body: `{"message":"Tree SHA does not exist",
		"documentation_url":"https://docs.github.com/rest/git/commits#create-a-commit","status":"422"}`}},
	// osunyorg/admin#4384
	"a bad object": {"tree", githubsim.Fault{Status: 422, Body: `{"message":"GitRPC::BadObjectState",
		"documentation_url":"https://docs.github.com/rest/git/trees#create-a-tree","status":"422"}`}},
	// cli/cli#2691
	"the branch is not visible yet": {"open", refusedField("createPullRequest", "UNPROCESSABLE", "Head sha can't be blank, "+
		"Base sha can't be blank, No commits between main and waybill/dev/api-1/1, Head ref must be a branch")},
	// cli/cli#4801
	// they come back after minutes: twice is 7 minutes
	"a pull request too quickly": {"open", refusedField("createPullRequest", "UNPROCESSABLE", "was submitted too quickly")},
	"a comment too quickly": {"comment", githubsim.Fault{Status: 422, Body: `{"message":"Validation Failed","errors":[
		{"resource":"IssueComment","code":"unprocessable","field":"data","message":"was submitted too quickly"}],
		"documentation_url":"https://docs.github.com/rest/issues/comments#create-an-issue-comment","status":"422"}`}},
	// yoshi389111/github-profile-3d-contrib#163
	"a query of too much": {"read", githubsim.Fault{Status: 200, Body: `{"data":{"repository":null},"errors":[
		{"type":"RESOURCE_LIMITS_EXCEEDED","path":["repository"],"message":"Resource limits for this query exceeded."}]}`}},
	// cli/cli#10036
	"a query of too long": {"read", githubsim.Fault{Status: 200, Body: `{"data":null,"errors":[{"message":
		"Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug."}]}`}},
	"a query without an answer": {"read", githubsim.Fault{Status: http.StatusGatewayTimeout, Body: `{"message":
		"We couldn't respond to your request in time. Please try resubmitting your request."}`}},
	// pascalgn/automerge-action#3
	"a merge that a rule forbids": {"merge", githubsim.Fault{Status: 403, Body: `{"message":"You're not authorized to push to
		this branch.","documentation_url":"https://docs.github.com/articles/about-protected-branches/","status":"403"}`}},
	"an unknown type": {"open", refusedField("createPullRequest", "LOADING", "x")},
}

func refusedField(field, kind, message string) githubsim.Fault {
	return githubsim.Fault{FieldError: &githubsim.FieldError{Field: field, Type: kind, Message: message}}
}

// TestARefusalThatPassesChangesNothing refuses a request of a promotion once and several times in a row.
func TestARefusalThatPassesChangesNothing(t *testing.T) {
	t.Parallel()
	for name, one := range passing {
		for times, often := range map[int]string{1: "once", 3: "three times"} {
			t.Run(name+" "+often, func(t *testing.T) {
				t.Parallel()
				fault := one.fault
				fault.Times = times
				disturbed(t, fault, asked[one.route])
			})
		}
	}
}

// TestARunThatBeginsBeforeGitHubAnswersTheMergeCounts: GitHub answers two seconds after it has merged, and CI is faster.
func TestARunThatBeginsBeforeGitHubAnswersTheMergeCounts(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.Faults().FailNext(asked["merge"], githubsim.Fault{After: func() { s.clock.set(s.Now().Add(2 * time.Second)) }})
	s.do("merge #1 by ann")
	began := s.Now().Add(-time.Second)
	_, err := s.github.CreateCheckRun(home, githubsim.CheckSpec{
		Name: "smoke", SHA: s.pull(1).MergeSHA, Conclusion: "success", StartedAt: began, CompletedAt: began,
	})
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestGitHubsLagChangesNothing has requests not see the writes of as many requests before them: new trees, commits,
// branches, pull requests, and heads of pull requests after a rebuild.
func TestGitHubsLagChangesNothing(t *testing.T) {
	t.Parallel()
	for _, requests := range []int{1, 2, 3, 5, 8} {
		t.Run(fmt.Sprint(requests, " requests"), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage)
			s.github.LagBehind(requests)
			s.do("merge #1 by ann", retry, "check smoke success on dev", retry)
			s.do("merge #2 by ann", retry, "check smoke failure on dev", retry)
			s.complete()
		})
	}
}
