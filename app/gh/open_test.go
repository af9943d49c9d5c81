package gh

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// onlyOne requires that there is one branch of the promotion, at head, and one pull request.
func (k *kit) onlyOne(head promotion.SHA) {
	k.Helper()
	require.Equal(k, string(head), k.Head(repo, branch))
	require.Len(k, k.Pulls(repo), 1)
}

func TestOpenMakesBranchAndPullRequestInOneRequest(t *testing.T) {
	k := newKit(t)
	head := k.commit()
	var opened Opened
	require.Equal(t, 1, k.asked(func() {
		var err error
		opened, err = k.client.Pulls.Open(t.Context(), request(head))
		require.NoError(t, err)
	}))
	require.Equal(t, promotion.PullOpen, opened.State)
	require.False(t, opened.Adopted)
	k.onlyOne(head)
	pull, found := k.Pull(repo, opened.Pull)
	require.True(t, found)
	require.Equal(t, "waybill[bot]", pull.Author)
	require.Equal(t, "because\n\n<!-- waybill:promotion=7 -->", pull.Body)
	require.True(t, strings.HasPrefix(opened.URL, k.URL()), opened.URL)
}

func TestWhatACrashLeftBehindIsAdoptedF2F20(t *testing.T) {
	k := newKit(t)
	first, head := k.opened()
	k.client = k.clientOf(k.newHub(), repo) // a restart
	again := request(head)
	again.Fresh = false
	var opened Opened
	require.Equal(t, 1, k.asked(func() {
		var err error
		opened, err = k.client.Pulls.Open(t.Context(), again)
		require.NoError(t, err)
	}))
	first.Adopted = true
	require.Equal(t, first, opened)
	k.onlyOne(head)
}

func TestOpenIsFoundAgainEvenByOneWhoThinksItIsFreshF2(t *testing.T) {
	k := newKit(t)
	first, head := k.opened()
	opened, err := k.client.Pulls.Open(t.Context(), request(head))
	require.NoError(t, err)
	require.Equal(t, first.Pull, opened.Pull)
	require.True(t, opened.Adopted)
	k.onlyOne(head)
}

func TestALostAnswerIsLookedForF2(t *testing.T) {
	k := newKit(t)
	head := k.commit()
	k.Faults().FailNext(githubsim.Route{Field: "createPullRequest"}, githubsim.Fault{LoseReply: true})
	opened, err := k.client.Pulls.Open(t.Context(), request(head))
	require.NoError(t, err)
	require.True(t, opened.Adopted)
	k.onlyOne(head)
}

func TestAHalfDoneOpenIsFinishedF20(t *testing.T) {
	for _, kind := range []string{"UNPROCESSABLE", "INTERNAL"} {
		k := newKit(t)
		head := k.commit()
		k.Faults().FailNext(githubsim.Route{Field: "createPullRequest"}, githubsim.Fault{
			FieldError: &githubsim.FieldError{
				Field: "createPullRequest", Type: kind, Message: "Something went wrong while executing your query.",
			},
		})
		opened, err := k.client.Pulls.Open(t.Context(), request(head))
		require.NoError(t, err)
		require.Equal(t, promotion.PullOpen, opened.State)
		k.onlyOne(head)
	}
}

func TestABranchThatGetsNoPullRequestIsToldWhyF20(t *testing.T) {
	k := newKit(t)
	head := promotion.SHA(k.Head(repo, "main")) // nothing to promote
	_, err := k.client.Pulls.Open(t.Context(), request(head))
	require.ErrorIs(t, err, ErrPassing, "GitHub says so of a branch that it does not see yet, too")
	require.Contains(t, Explain(err).Detail, "No commits between main and "+branch)
	require.Empty(t, k.Pulls(repo))
}

func TestABranchAloneGetsItsPullRequestAfterARestartF20(t *testing.T) {
	k := newKit(t)
	head := k.commit()
	require.NoError(t, k.CreateBranch(repo, branch, "waybill[bot]", string(head)))
	again := request(head)
	again.Fresh = false
	opened, err := k.client.Pulls.Open(t.Context(), again)
	require.NoError(t, err)
	require.False(t, opened.Adopted)
	k.onlyOne(head)
}

func TestOpenThatGitHubCannotAnswerIsTransientAndLaterDone(t *testing.T) {
	k := newKit(t)
	head := k.commit()
	k.Faults().FailNext(githubsim.Route{Field: "createPullRequest"},
		githubsim.Fault{Status: 502, Body: "<html>Bad gateway</html>"})
	_, err := k.client.Pulls.Open(t.Context(), request(head))
	require.ErrorIs(t, err, ErrTransient)
	require.Empty(t, k.Pulls(repo))
	again := request(head)
	again.Fresh = false
	_, err = k.client.Pulls.Open(t.Context(), again)
	require.NoError(t, err)
	k.onlyOne(head)
}

func TestABranchOfSomebodyElseIsLeftAlone(t *testing.T) {
	for _, fresh := range []bool{true, false} {
		k := newKit(t)
		head := k.commit()
		theirs, err := k.PushFiles(repo, branch, "ann", "mine", map[string]*string{"x": githubsim.Text("x")})
		require.NoError(t, err)
		r := request(head)
		r.Fresh = fresh
		_, err = k.client.Pulls.Open(t.Context(), r)
		require.ErrorIs(t, err, ErrRefused)
		require.Contains(t, Explain(err).Detail, theirs)
		require.Equal(t, theirs, k.Head(repo, branch))
		for _, pull := range k.Pulls(repo) {
			require.Equal(t, "closed", pull.State, "a pull request from it must not stay open")
		}
	}
}

func TestAPullRequestWithoutOurMarkerOrAuthorIsRefused(t *testing.T) {
	for name, author := range map[string]string{"marker": "waybill[bot]", "author": "ann"} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t)
			head := k.commit()
			require.NoError(t, k.CreateBranch(repo, branch, "ann", string(head)))
			body := ""
			if name == "author" {
				body = request(head).Marker
			}
			_, err := k.OpenPull(repo, githubsim.PullSpec{Head: branch, Author: author, Body: body})
			require.NoError(t, err)
			_, err = k.client.Pulls.Open(t.Context(), request(head))
			require.ErrorIs(t, err, ErrRefused)
			require.Contains(t, err.Error(), "not ours")
			require.Len(t, k.Pulls(repo), 1)
		})
	}
}

func TestAForkThatNamesItsBranchLikeOursChangesNothing(t *testing.T) {
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(asked), "query Traces"):
			fmt.Fprint(w,
				`{"data": {"repository": {"ref": null, "pullRequests": {"nodes": [{"number": 9, "isCrossRepository": true,
				"body": "<!-- waybill:promotion=7 -->", "author": {"__typename": "User", "login": "waybill"}}]}}}}`)
		case strings.Contains(string(asked), "mutation Open"):
			fmt.Fprint(w, `{"data": {"createPullRequest": {"pullRequest": {"number": 10, "headRefOid": "c1"}}}}`)
		}
	})
	r := request("c1")
	r.Fresh = false
	opened, err := c.Pulls.Open(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, 10, opened.Pull)
}

func TestAPullRequestWithAnotherHeadIsRefusedF14(t *testing.T) {
	k := newKit(t)
	_, head := k.opened()
	_, err := k.PushFiles(repo, branch, "ann", "foreign", map[string]*string{"x": githubsim.Text("x")})
	require.NoError(t, err)
	again := request(head)
	again.Fresh = false
	_, err = k.client.Pulls.Open(t.Context(), again)
	require.ErrorIs(t, err, ErrRefused)
}

func TestAMergedPullRequestIsNotOpenedAgainF21(t *testing.T) {
	k := newKit(t)
	first, head := k.opened()
	_, err := k.MergePull(repo, first.Pull, "ann", "squash")
	require.NoError(t, err)
	require.NoError(t, k.DeleteBranch(repo, branch, "ann"))
	again := request(head)
	again.Fresh = false
	opened, err := k.client.Pulls.Open(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, promotion.PullMerged, opened.State)
	require.Len(t, k.Pulls(repo), 1)
	require.Empty(t, k.Head(repo, branch))
}

func TestAClosedPullRequestIsNotOpenedAgainF12(t *testing.T) {
	k := newKit(t)
	first, head := k.opened()
	require.NoError(t, k.ClosePull(repo, first.Pull, "ann"))
	again := request(head)
	again.Fresh = false
	opened, err := k.client.Pulls.Open(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, promotion.PullClosed, opened.State)
	require.Len(t, k.Pulls(repo), 1)
}

func TestLongTextsAreCutAndLongBranchesRefusedF41(t *testing.T) {
	k := newKit(t)
	r := request(k.commit())
	r.Title, r.Body = strings.Repeat("t", 300), strings.Repeat("b", 70_000)
	opened, err := k.client.Pulls.Open(t.Context(), r)
	require.NoError(t, err)
	pull, _ := k.Pull(repo, opened.Pull)
	require.LessOrEqual(t, len(pull.Title), 256)
	require.LessOrEqual(t, len(pull.Body), 65_536)
	require.Contains(t, pull.Body, r.Marker)
	r.Branch = "waybill/" + strings.Repeat("x", 250)
	_, err = k.client.Pulls.Open(t.Context(), r)
	require.ErrorIs(t, err, ErrRefused)
}

// TestOnlyTheMissingHalfIsMadeInTheSecondTryB2 makes GitHub refuse the pull request twice, for each reason: the branch
// is created once, and the promotion is tried again.
func TestOnlyTheMissingHalfIsMadeInTheSecondTryB2(t *testing.T) {
	for _, refusal := range []githubsim.FieldError{
		{Type: "SERVICE_UNAVAILABLE", Message: "no"}, {Type: "TIMEOUT", Message: "no"}, {Type: "LOADING", Message: "no"},
		{Message: "Head sha can't be blank, Base sha can't be blank, Head ref must be a branch"},
		{Message: "A pull request already exists for acme:" + branch + "."}, {Type: "UNHEARD_OF", Message: "no"},
	} {
		k := newKit(t)
		head := k.commit()
		refusal.Field = "createPullRequest"
		k.Faults().FailNext(githubsim.Route{Field: "createPullRequest"},
			githubsim.Fault{Times: 3, FieldError: &refusal})
		before := len(k.Requests())
		_, err := k.client.Pulls.Open(t.Context(), request(head))
		require.True(t, errors.Is(err, ErrTransient) || errors.Is(err, ErrPassing), "%v", err)
		require.Equal(t, refusal.Message, Explain(err).Detail, "and of no branch that exists already")
		again := request(head)
		again.Fresh = false
		_, err = k.client.Pulls.Open(t.Context(), again)
		require.Error(t, err)
		_, err = k.client.Pulls.Open(t.Context(), again)
		require.NoError(t, err)
		k.onlyOne(head)
		var made [][]string
		for _, r := range k.Requests()[before:] {
			if slices.Contains(r.Fields, "createPullRequest") {
				made = append(made, r.Fields)
			}
		}
		half := []string{"createPullRequest"}
		require.Equal(t, [][]string{{"createRef", "createPullRequest"}, half, half, half}, made)
	}
}

// TestNoContentIsMadeWhileGitHubSaysThatItWasTooMuchA1 makes GitHub repeat its limit on content: all other requests go
// on.
func TestNoContentIsMadeWhileGitHubSaysThatItWasTooMuchA1(t *testing.T) {
	k := newKit(t)
	r := request(k.commit())
	for _, pause := range []time.Duration{2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour} {
		k.Faults().FailNext(githubsim.Route{Field: "createPullRequest"}, githubsim.Fault{
			FieldError: &githubsim.FieldError{Field: "createPullRequest", Message: "was submitted too quickly"},
		})
		_, err := k.client.Pulls.Open(t.Context(), r)
		require.ErrorIs(t, err, ErrTransient)
		require.Equal(t, "was submitted too quickly", Explain(err).Detail)
		require.Equal(t, pause, RetryAfter(err))
		r.Fresh = false
		k.clock.Advance(pause - time.Second)
		_, err = k.client.Pulls.Open(t.Context(), r)
		require.Equal(t, time.Second, RetryAfter(err), "it is not asked for")
		_, err = k.client.Comments.Write(t.Context(), Comment{Issue: 1, Body: "b", Fresh: true})
		require.Equal(t, time.Second, RetryAfter(err), "nor is a comment")
		_, err = k.client.Files.Read(t.Context(), "", nil)
		require.NoError(t, err)
		k.clock.Advance(time.Second)
	}
	require.Zero(t, k.Faults().Pending())
	_, err := k.client.Pulls.Open(t.Context(), r)
	require.NoError(t, err)
	k.onlyOne(r.Head)
}

// TestWhatDoesNotFitIntoTheContentOfAMinuteComesLaterA1 opens more pull requests at once than GitHub accepts, with any
// estimate of the limit in the installation.
func TestWhatDoesNotFitIntoTheContentOfAMinuteComesLaterA1(t *testing.T) {
	k := newKit(t)
	k.LimitContent(20, 150)
	head := k.commit()
	waiting := make([]OpenRequest, 30)
	for i := range waiting {
		waiting[i] = request(head)
		waiting[i].Branch = fmt.Sprintf("waybill/dev/api-142/%d", i)
		waiting[i].Marker = fmt.Sprintf("<!-- waybill:promotion=%d -->", i)
	}
	for range 3 {
		waiting = slices.DeleteFunc(waiting, func(r OpenRequest) bool {
			_, err := k.client.Pulls.Open(t.Context(), r)
			require.NotErrorIs(t, err, ErrRefused)
			return err == nil
		})
		for i := range waiting {
			waiting[i].Fresh = false
		}
		k.clock.Advance(2 * time.Minute)
	}
	require.Empty(t, waiting)
	require.Len(t, k.Pulls(repo), 30)
}
