package githubsim

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/require"
)

var mergeRoute = Route{Method: "PUT", Path: "/repos/{owner}/{repo}/pulls/{pull_number}/merge"}

func TestAnInjectedStatusHasNoEffectAndHitsAsOftenAsArmed(t *testing.T) {
	k := newKit(t)
	number, path := k.open("x", "tag: v2\n")
	bot := k.bot()
	k.Faults().FailNext(mergeRoute, Fault{Status: 502, Times: 2})
	for range 2 {
		status, _ := bot.send("PUT", path+"/merge", `{}`)
		require.Equal(t, 502, status)
	}
	view, _ := k.Pull(k.repo, number)
	require.Equal(t, "open", view.State)
	require.Zero(t, k.Faults().Pending())
	status, _ := bot.send("PUT", path+"/merge", `{}`)
	require.Equal(t, 200, status)
	require.Equal(t, 3, k.CountRequests(mergeRoute))
}

func TestAFaultWaitsForItsNthRequest(t *testing.T) {
	k := newKit(t)
	bot := k.bot()
	k.Faults().FailNext(Route{Path: "/repos/{owner}/{repo}"}, Fault{Status: 500, Nth: 3})
	var got []int
	for range 4 {
		status, _ := bot.send("GET", "/repos/acme/app", "")
		got = append(got, status)
	}
	require.Equal(t, []int{200, 200, 500, 200}, got)
}

func TestALostReplyLeavesTheEffectBehind(t *testing.T) {
	k := newKit(t)
	number, _ := k.open("x", "tag: v2\n")
	k.Faults().FailNext(mergeRoute, Fault{LoseReply: true})
	_, _, err := k.client.PullRequests.Merge(t.Context(), "acme", "app", number, "", nil)
	require.Error(t, err)
	var answered *github.ErrorResponse
	require.False(t, errors.As(err, &answered), "no answer came")
	view, _ := k.Pull(k.repo, number)
	require.Equal(t, "merged", view.State)
	requests := k.Requests()
	require.Equal(t, 0, requests[len(requests)-1].Status)
}

func TestTheProgramUnderTestCanBeStoppedAroundAnEffect(t *testing.T) {
	k := newKit(t)
	number, path := k.open("x", "tag: v2\n")
	var states []string
	note := func() {
		view, _ := k.Pull(k.repo, number)
		states = append(states, view.State)
	}
	k.Faults().FailNext(mergeRoute, Fault{Before: note, After: note})
	k.bot().send("PUT", path+"/merge", `{}`)
	require.Equal(t, []string{"open", "merged"}, states)
}

func TestAStaleReadAnswersWhatWasSoBefore(t *testing.T) {
	k := newKit(t)
	number, path := k.open("x", "tag: v2\n")
	bot := k.bot()
	_, before := bot.send("GET", path, "")
	require.NoError(t, k.ClosePull(k.repo, number, "ann"))
	k.Faults().FailNext(Route{Path: "/repos/{owner}/{repo}/pulls/{pull_number}"}, Fault{Stale: time.Minute})
	_, stale := bot.send("GET", path, "")
	require.Equal(t, before, stale)
	_, fresh := bot.send("GET", path, "")
	require.Equal(t, "closed", fresh["state"])
}

func TestADelayEndsWhenTheClientGivesUp(t *testing.T) {
	k := newKit(t)
	number, _ := k.open("x", "tag: v2\n")
	_, _, err := k.client.Repositories.Get(t.Context(), "acme", "app") // gets the token, which takes time
	require.NoError(t, err)
	impatient := github.NewClient(&http.Client{
		Timeout: 50 * time.Millisecond, Transport: k.client.Client().Transport,
	})
	client, err := impatient.WithEnterpriseURLs(k.V3URL(), k.V3URL())
	require.NoError(t, err)
	k.Faults().FailNext(mergeRoute, Fault{Delay: time.Hour})
	_, _, err = client.PullRequests.Merge(t.Context(), "acme", "app", number, "", nil)
	require.Error(t, err)
	view, _ := k.Pull(k.repo, number)
	require.Equal(t, "open", view.State)
}

func TestOneFieldOfADocumentFailsAndTheOthersAreCarriedOut(t *testing.T) {
	k := newKit(t)
	id, head := k.repoID(), k.Head(k.repo, "main")
	k.Faults().FailNext(Route{Field: "createPullRequest"},
		Fault{FieldError: &FieldError{Field: "createPullRequest", Message: "no"}})
	answer := k.graphql(`mutation($repo: ID!, $oid: GitObjectID!) {
		createRef(input: {repositoryId: $repo, name: "refs/heads/x", oid: $oid}) { ref { name } }
		createPullRequest(input: {repositoryId: $repo, baseRefName: "main", headRefName: "x", title: "T"}) { pullRequest
		{ number } }
	}`, map[string]any{"repo": id, "oid": head})
	require.Equal(t, "UNPROCESSABLE: no", failure(answer))
	require.Equal(t, head, k.Head(k.repo, "x"))
}

func TestGoGitHubTakesInjectedLimitsForWhatTheyAre(t *testing.T) {
	for _, status := range []int{403, 429} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			k := newKit(t)
			k.clock.Advance(time.Until(k.clock.Now())) // go-github compares the reset with the wall clock
			k.Faults().FailNext(Route{Path: "/repos/{owner}/{repo}"}, k.Faults().SecondaryLimit(status, time.Minute))
			_, _, err := k.client.Repositories.Get(t.Context(), "acme", "app")
			var abuse *github.AbuseRateLimitError
			require.Equal(t, status == 403, errors.As(err, &abuse), "go-github v60 knows 403 only: %v", err)

			other := k.goGitHub()
			k.Faults().FailNext(Route{Path: "/repos/{owner}/{repo}"}, k.Faults().PrimaryLimit(status, time.Hour))
			_, _, err = other.Repositories.Get(t.Context(), "acme", "app")
			var primary *github.RateLimitError
			require.Equal(t, status == 403, errors.As(err, &primary), "%v", err)
		})
	}
}

func TestATransientRefusalOfAMergeIsWordedLikeGitHubs(t *testing.T) {
	k := newKit(t)
	_, path := k.open("x", "tag: v2\n")
	k.Faults().FailNext(mergeRoute, k.Faults().BaseModified())
	k.refused(k.bot(), "PUT", path+"/merge", `{}`, 405, "Base branch was modified. Review and try the merge again.")
}

func TestWebhooksAreLostDoubledHeldAndReordered(t *testing.T) {
	k := newKit(t)
	comment := func(n int, text string) {
		_, err := k.Comment(k.repo, n, "ann", text)
		require.NoError(t, err)
	}
	bodies := func() []string {
		require.NoError(t, k.Settle(t.Context()))
		var got []string
		for _, h := range k.hooks.takeAll() {
			got = append(got, dig(h.payload, "comment", "body").(string))
		}
		return got
	}
	number, err := k.CreateIssue(k.repo, "ann", "T", "B")
	require.NoError(t, err)

	k.LoseWebhooks(true)
	comment(number, "a")
	comment(number, "b")
	require.Empty(t, bodies())
	require.Empty(t, slices.DeleteFunc(k.Deliveries(), func(d Delivery) bool { return d.Event != "issue_comment" }),
		"what is lost is not listed")
	k.DeliverLost()
	comment(number, "c")
	require.Equal(t, []string{"a", "b", "c"}, bodies())

	k.DoubleWebhooks(true)
	comment(number, "d")
	require.Equal(t, []string{"d", "d"}, bodies())
	k.DoubleWebhooks(false)

	k.HoldWebhooks()
	comment(number, "e")
	comment(number, "f")
	require.Empty(t, bodies())
	k.ReleaseReversed()
	require.Equal(t, []string{"f", "e"}, bodies())

	require.Equal(t, 3, k.Redeliver(3))
	require.Equal(t, []string{"d", "f", "e"}, bodies())

	k.LoseWebhooks(true)
	comment(number, "g")
	require.Equal(t, 1, k.ForgetLost())
	k.DeliverLost()
	require.Empty(t, bodies())
}

func TestAFailedDeliveryIsReportedAndListed(t *testing.T) {
	k := newKit(t)
	k.FailWebhooks(1, 503)
	_, err := k.CreateIssue(k.repo, "ann", "T", "B")
	require.NoError(t, err)
	_, err = k.Comment(k.repo, 1, "ann", "x")
	require.NoError(t, err)
	require.ErrorContains(t, k.Settle(t.Context()), "issue_comment created")
	require.NoError(t, k.Settle(t.Context()), "reported once")
	require.Empty(t, k.hooks.takeAll())
	all := k.Deliveries()
	require.Equal(t, 503, all[len(all)-1].StatusCode)
}

// TestAnswersThatFaultsMakeUpAreChecked: one that GitHub could not have sent is a violation, and a page of a gateway is
// none.
func TestAnswersThatFaultsMakeUpAreChecked(t *testing.T) {
	var found []error
	k := newKit(t, func(o *Options) { o.Report = func(err error) { found = append(found, err) } })
	for body, wrong := range map[string]bool{`{"total_count":"many"}`: true, `{"message":"no"}`: true, "": true} {
		found = nil
		k.Faults().FailNext(Route{Method: "GET", Path: "/repos/{owner}/{repo}"}, Fault{Status: 200, Body: body})
		k.bot().send("GET", "/repos/acme/app", "")
		require.Equal(t, wrong, len(found) > 0, body)
		require.ErrorContains(t, found[0], "GET /repos/{owner}/{repo}: response")
	}
	found = nil
	k.Faults().FailNext(Route{Method: "GET", Path: "/repos/{owner}/{repo}"}, Fault{Status: 502, Body: "<html></html>"})
	k.bot().send("GET", "/repos/acme/app", "")
	require.Empty(t, found)
}

// TestEachMutationOfTheReviewIsPartOfAProfile: what a review of the simulator changed to find defects stays.
func TestEachMutationOfTheReviewIsPartOfAProfile(t *testing.T) {
	for row, profile := range map[string]Profile{
		"may answer null for more requests, until its background job is done":                                     Lagging,
		"may show a pull request as it was before a push, and refuse to merge the new head: 409":                  Lagging,
		"may not see a new commit yet: 422 Object does not exist; nor a new branch":                               Lagging,
		"may not see a new tree yet: 422 Tree SHA does not exist":                                                 Lagging,
		"may list a new pull request a request later":                                                             Lagging,
		"may date the answer to a merge seconds after it":                                                         Lagging,
		"refuses content that comes too fast, and says neither how much it takes nor when it takes more":          Limiting,
		"refuses queries of too much: RESOURCE_LIMITS_EXCEEDED":                                                   Limiting,
		"may send webhooks in another order than that of the events":                                              Noisy,
		"may tell of an event twice, under two GUIDs":                                                             Noisy,
		"makes a suite of each App that may write checks, of which some are never begun":                          Noisy,
		"answers 304 to no other token than the one that got the ETag":                                            Strict,
		"may answer 502 though it has done what it was asked":                                                     Failing,
		"may fail to make a tree: 422 GitRPC::BadObjectState":                                                     Failing,
		"may fail one mutation of a document with SERVICE_UNAVAILABLE or TIMEOUT, and do the others":              Failing,
		"may answer any question as it was a few seconds before":                                                  Lagging,
		"may answer what is asked right after a write as before it":                                               Lagging,
		"shows a repository, and redirects from a name it had before to its id: GET by 301, anything else by 307": Failing,
	} {
		require.True(t, slices.ContainsFunc(traits, func(one trait) bool {
			return one.row == row && one.profile == profile
		}), row)
	}
}
