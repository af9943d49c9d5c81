package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// passing holds refusals of GitHub's after which the same request succeeds: the request, and the answer. Most are known
// from reports.
var passing = map[string]struct {
	route string
	fault githubsim.Fault
}{
	"the tree is not visible yet": {"commit", refusal(422, "Tree SHA does not exist")}, // osunyorg/admin#3705
	"a bad object":                {"tree", refusal(422, "GitRPC::BadObjectState")},    // osunyorg/admin#4384
	// cli/cli#2691
	"the branch is not visible yet": {"open", refusedField("UNPROCESSABLE",
		"Head sha can't be blank, Base sha can't be blank, No commits between main and x, Head ref must be a branch")},
	// cli/cli#4801
	"a pull request too quickly": {"open", refusedField("UNPROCESSABLE", "was submitted too quickly")},
	"a comment too quickly":      {"comment", refusal(422, "Validation Failed: was submitted too quickly")},
	// yoshi389111/github-profile-3d-contrib#163
	"a query of too much": {"read", refusedQuery("RESOURCE_LIMITS_EXCEEDED", "Resource limits for this query exceeded.")},
	// cli/cli#10036
	"a query of too long": {"read", refusedQuery("", "Something went wrong while executing your query. This may be the "+
		"result of a timeout, or it could be a GitHub bug.")},
	"a query without an answer": {"read", refusal(504, "We couldn't respond to your request in time.")},
	"an unknown type":           {"open", refusedField("LOADING", "x")},
	"the service is not there":  {"open", refusedField("SERVICE_UNAVAILABLE", "x")},
	"too many nodes":            {"open", refusedField("MAX_NODE_LIMIT_EXCEEDED", "x")},
}

// refusal is an answer of the REST API.
func refusal(status int, message string) githubsim.Fault {
	const form = `{"message":%q,"documentation_url":"https://docs.github.com/rest","status":"%d"}`
	return githubsim.Fault{Status: status, Body: fmt.Sprintf(form, message, status)}
}

// refusedQuery is an answer of the GraphQL API without data.
func refusedQuery(kind, message string) githubsim.Fault {
	const form = `{"data":{"repository":null},"errors":[{"type":%q,"path":["repository"],"message":%q}]}`
	return githubsim.Fault{Status: 200, Body: fmt.Sprintf(form, kind, message)}
}

// refusedField is an answer of the GraphQL API to the mutation that opens a pull request.
func refusedField(kind, message string) githubsim.Fault {
	return githubsim.Fault{FieldError: &githubsim.FieldError{Field: "createPullRequest", Type: kind, Message: message}}
}

// TestARefusalThatPassesChangesNothing refuses a request of a promotion once, and twice in a row.
func TestARefusalThatPassesChangesNothing(t *testing.T) {
	t.Parallel()
	for name, one := range passing {
		for times, often := range map[int]string{1: "once", 2: "twice"} {
			t.Run(name+" "+often, func(t *testing.T) {
				t.Parallel()
				fault := one.fault
				fault.Times = times
				disturbed(t, fault, asked[one.route])
			})
		}
	}
}

// TestARunThatBeginsBeforeGitHubAnswersTheMergeCounts: GitHub answers two seconds after it has merged. CI is faster.
func TestARunThatBeginsBeforeGitHubAnswersTheMergeCounts(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.Faults().FailNext(asked["merge"], githubsim.Fault{
		After: func() { s.clock.set(s.Now().Add(2 * time.Second)) },
	})
	s.do("merge #1 by ann")
	began := s.Now().Add(-time.Second)
	_, err := s.github.CreateCheckRun(home, githubsim.CheckSpec{
		Name: "smoke", SHA: s.pull(1).MergeSHA, Conclusion: "success", StartedAt: began, CompletedAt: began,
	})
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestAnyQueryOfAPromotionMayAskForTooMuch limits each of the first queries of a promotion in turn.
func TestAnyQueryOfAPromotionMayAskForTooMuch(t *testing.T) {
	t.Parallel()
	fault := passing["a query of too much"].fault
	for nth := 1; nth <= 4; nth++ {
		t.Run(fmt.Sprint("query ", nth), func(t *testing.T) {
			t.Parallel()
			fault.Nth = nth
			disturbed(t, fault, asked["read"])
		})
	}
}

// TestALostReplyOfAPullRequestThatNoListHasYetOpensNoSecondOne: GitHub opens it, its answer is lost, and lists show it
// late.
func TestALostReplyOfAPullRequestThatNoListHasYetOpensNoSecondOne(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.LagBehind(2)
	s.github.Faults().FailNext(asked["open"], githubsim.Fault{LoseReply: true, Nth: 2})
	s.do("merge #1 by ann", retry, "check smoke success on dev", retry)
	s.do("merge #2 by ann", retry, "check smoke failure on dev", retry)
	require.Zero(t, s.github.Faults().Pending())
	s.complete()
}

// TestAMergeThatARuleForbidsWaitsAndSaysSo until an event comes after the rule is gone.
func TestAMergeThatARuleForbidsWaitsAndSaysSo(t *testing.T) {
	t.Parallel()
	for words, fault := range map[string]githubsim.Fault{
		"must not contain squash commits":// satisfactory-factories/application#67
		refusal(405, "Repository rule violations found\n\nThis branch must not contain squash commits."),
		"not authorized to push to this branch":// pascalgn/automerge-action#3
		refusal(403, "You're not authorized to push to this branch."),
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage)
			fault.Times = -1
			s.github.Faults().FailNext(asked["merge"], fault)
			s.do("merge #1 by ann", "wait 24h", "comment #1 by ann: /why dev")
			require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
			comments := s.github.Comments(home, 1)
			require.Contains(t, comments[len(comments)-1].Body, words)
			s.github.Faults().Clear()
			s.passCI(1)
			require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
		})
	}
}

// TestAConflictThatGitHubFindsLateIsRebuilt: for twenty requests GitHub does not know whether the pull request fits.
func TestAConflictThatGitHubFindsLateIsRebuilt(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, merge: manual}
`)
	s.do("merge #1 by ann")
	before := s.pull(1).HeadSHA
	s.github.TestMergesLast(20)
	s.do("push dev.yaml by bob", retry)
	require.NotEqual(t, before, s.pull(1).HeadSHA)
}

// TestGitHubsLagChangesNothing has requests not see the writes of as many requests before them: new trees, commits,
// branches, pull requests, and heads of pull requests.
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
			require.True(t, slices.ContainsFunc(s.github.Requests(), func(r githubsim.RecordedRequest) bool {
				return r.Status == http.StatusUnprocessableEntity
			}), "GitHub refuses for lag")
		})
	}
}

// TestARebuildIsMergedThoughGitHubShowsItLate: a person's push makes the pull request conflict, and GitHub shows its
// new head late.
func TestARebuildIsMergedThoughGitHubShowsItLate(t *testing.T) {
	t.Parallel()
	for _, requests := range []int{1, 3, 8} {
		t.Run(fmt.Sprint(requests, " requests"), func(t *testing.T) {
			t.Parallel()
			s := newGuarded(t)
			before := s.pull(1).HeadSHA
			s.unprotect()
			s.github.HoldWebhooks()
			s.do("push dev.yaml by bob")
			require.NoError(t, s.github.Protect(home, "main", githubsim.Protection{RequiredChecks: []string{"ci"}}))
			s.github.LagBehind(requests)
			s.github.ReleaseWebhooks()
			s.do(retry)
			require.NotEqual(t, before, s.pull(1).HeadSHA)
			s.passCI(1)
			s.do(retry)
			require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
			require.Contains(t, s.hosts("dev.yaml"), s.source(1))
			require.Len(t, s.ours(), 1)
		})
	}
}

// TestAWebhookTellsOfMoreThanGitHubShows: for some requests GitHub does not show yet what a webhook has told of.
func TestAWebhookTellsOfMoreThanGitHubShows(t *testing.T) {
	t.Parallel()
	const publishing = `version: 1
warehouses:
  api: {%s: {repo: acme/api}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.tag}"}}}
`
	tag := func(s *site, tag string) { require.NoError(s.t, s.github.PushTag(apiRepo, "ann", tag, "main")) }
	for name, one := range map[string]struct {
		pipeline string
		before   func(s *site)
		told     func(s *site)
		known    func(s *site)
	}{
		"a push": {pushes,
			func(s *site) { s.pushSource("src/a") },
			func(s *site) { s.pushSource("src/b") },
			func(s *site) { require.Len(s.t, s.states("dev"), 2) },
		},
		"a tag": {fmt.Sprintf(publishing, "tags"),
			func(s *site) { tag(s, "v1.0.0") },
			func(s *site) { s.pushSource("src/b"); tag(s, "v2.0.0") },
			func(s *site) { require.Equal(s.t, "v2.0.0", s.hosts("dev.yaml")) },
		},
		"a release": {fmt.Sprintf(publishing, "releases"),
			func(s *site) { require.NoError(s.t, s.publish("v1.0.0")()) },
			func(s *site) { s.pushSource("src/b"); require.NoError(s.t, s.publish("v2.0.0")()) },
			func(s *site) { require.Equal(s.t, "v2.0.0", s.hosts("dev.yaml")) },
		},
		"a report": {reported,
			func(s *site) { s.dispatch(apiRepo, with(s.build(), "version", "1.4.1")) },
			func(s *site) { s.pushSource("src/b"); s.dispatch(apiRepo, s.build()) },
			func(s *site) {
				reports := s.reports()
				require.Len(s.t, reports, 2)
				require.Equal(s.t, string(promotion.Done), reports[1].Outcome)
			},
		},
		"a pipeline file": {drifting,
			func(s *site) { s.do("merge #1 by ann", retry, "comment #1 by ann: /why dev") },
			func(s *site) { s.pushConfig(strings.Replace(drifting, "dev:", "qa:", 1)) },
			func(s *site) { s.do("merge #2 by ann"); require.Len(s.t, s.states("dev"), 1) },
		},
		"a change by hand": {drifting,
			func(s *site) { s.do("merge #1 by ann", retry, "comment #1 by ann: /why dev") },
			func(s *site) { s.do("edit dev.yaml tag hotfix by bob") },
			func(s *site) { require.Equal(s.t, "neutral Verified, drifted", s.look(1)) },
		},
	} {
		for _, requests := range []int{1, 3, 8} {
			t.Run(fmt.Sprint(name, " after ", requests, " requests"), func(t *testing.T) {
				t.Parallel()
				s := newSite(t, one.pipeline)
				s.github.LagBehind(requests)
				one.before(s)
				s.quiet()
				one.told(s)
				s.quiet()
				s.do("wait 2m")
				one.known(s)
			})
		}
	}
}

// TestAReleaseThatIsGoneIsLookedForDuringAMinute: it was deleted before its webhook came.
func TestAReleaseThatIsGoneIsLookedForDuringAMinute(t *testing.T) {
	t.Parallel()
	s := newSite(t, released)
	s.github.HoldWebhooks()
	require.NoError(t, s.publish("v1.4.2")())
	require.NoError(t, s.github.DeleteRelease(apiRepo, "v1.4.2"))
	s.github.ForgetRequests()
	s.github.ReleaseWebhooks()
	s.quiet()
	s.do("wait 2m")
	asked := githubsim.Route{Field: "repository"}
	require.Greater(t, s.github.CountRequests(asked), 3)
	s.github.ForgetRequests()
	s.do(retry)
	require.Zero(t, s.github.CountRequests(asked))
	require.Empty(t, s.states("dev"))
}

// TestAFolderIsCopiedFromACommitThatGitHubShowsLate: the commit of the freight is as new as the webhook about it.
func TestAFolderIsCopiedFromACommitThatGitHubShowsLate(t *testing.T) {
	t.Parallel()
	for _, requests := range []int{3, 8, 20} {
		t.Run(fmt.Sprint(requests, " requests"), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, copy: {deploy/dev: {from: src, warehouse: api}}}
`)
			s.github.LagBehind(requests)
			s.do("merge #1 by ann", retry, "comment #1 by ann: /status", "merge #2 by ann", retry)
			require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev succeeded"}, s.states("dev"))
		})
	}
}

// TestAMergeOfAPullRequestThatGitHubDoesNotShowForAMomentIsMadeAgain: 404 says that one of its servers has not heard of
// the pull request.
func TestAMergeOfAPullRequestThatGitHubDoesNotShowForAMomentIsMadeAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.Faults().FailNext(asked["merge"], refusal(404, "Not Found"))
	s.do("merge #1 by ann", retry)
	require.Zero(t, s.github.Faults().Pending())
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}
