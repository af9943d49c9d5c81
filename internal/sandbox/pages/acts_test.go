package pages_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

func TestPeopleActOnThePageOfAPullRequest(t *testing.T) {
	b := newBrowser(t)
	n := b.open("Take v2")
	at := "/acme/app/pull/1"
	b.as = "eve"
	where := b.submit(at+"/comment", "body", "/hold dev")
	comment := b.Comments(app, n)[0]
	require.Equal(t, "eve", comment.Author)
	require.Equal(t, fmt.Sprintf("%s#issuecomment-%d", at, comment.ID), where)
	b.as = "ann"
	b.submit(at+"/approve", "body", "good")
	require.Equal(t, "APPROVED", b.Reviews(app, n)[0].State)
	b.submit(at+"/request-changes", "body", "bad")
	require.Equal(t, "CHANGES_REQUESTED", b.Reviews(app, n)[1].State)
	b.submit(at+"/label", "label", " stage/prod:hold ")
	pull, _ := b.Pull(app, n)
	require.Equal(t, []string{"stage/prod:hold"}, pull.Labels)
	b.submit(at+"/unlabel", "label", "stage/prod:hold")
	b.submit(at + "/close")
	pull, _ = b.Pull(app, n)
	require.Equal(t, "closed", pull.State)
	require.Empty(t, pull.Labels)
	b.submit(at + "/reopen")
	b.submit(at + "/merge")
	pull, _ = b.Pull(app, n)
	require.Equal(t, "merged", pull.State)
	require.Equal(t, "ann", pull.MergedBy)
}

func TestPeopleOpenPullRequestsThatAddALineToAFile(t *testing.T) {
	b := newBrowser(t)
	require.Contains(t, b.see("/acme/app"), `action="/acme/app/pulls"`)
	for i, want := range []string{"ann-patch-1", "ann-patch-2"} {
		where := b.submit("/acme/app/pulls", "title", " Say it ", "path", "README.md", "line", "It counts.")
		require.Equal(t, fmt.Sprintf("/acme/app/pull/%d", i+1), where)
		pull, _ := b.Pull(app, i+1)
		require.Equal(t, "Say it", pull.Title)
		require.Equal(t, "ann", pull.Author)
		require.Equal(t, want, pull.HeadBranch)
		text, _ := b.File(app, want, "README.md")
		require.Equal(t, "# app\nIt counts.\n", text)
	}
	require.Contains(t, b.refused("/acme/app/pulls", "title", " ", "path", "README.md"), "it needs a title")
	require.Contains(t, b.refused("/acme/app/pulls", "title", "x", "path", "none"), "there is no file none")
	b.as = "eve"
	require.Contains(t, b.refused("/acme/app/pulls", "title", "x", "path", "README.md"),
		"eve may not open a pull request")
	response, _ := b.send("POST", "/acme/none/pulls", nil)
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	require.Len(t, b.Pulls(app), 2)
}

func TestWhatSomebodyMayNotDoIsSaidAndNotDone(t *testing.T) {
	b := newBrowser(t)
	n := b.open("Take v2")
	b.as = "eve"
	for _, act := range []string{"merge", "close", "label", "unlabel"} {
		require.Contains(t, b.refused("/acme/app/pull/1/"+act, "label", "x"), "eve may not", act)
	}
	pull, _ := b.Pull(app, n)
	require.Equal(t, "open", pull.State)
	require.Empty(t, pull.Labels)
	require.Contains(t, b.see("/acme/app/pull/1"), "eve may not merge here")
}

func TestAuthorsCloseTheirOwnWhateverTheirPermission(t *testing.T) {
	b := newBrowser(t)
	n, err := b.OpenPull(app,
		githubsim.PullSpec{Head: "mine", Author: "eve", Files: map[string]*string{"x": githubsim.Text("x")}})
	require.NoError(t, err)
	b.as = "eve"
	require.Contains(t, b.refused("/acme/app/pull/1/label", "label", "x"), "eve may not label this")
	b.submit("/acme/app/pull/1/close")
	pull, _ := b.Pull(app, n)
	require.Equal(t, "closed", pull.State)
}

func TestWhatGitHubRefusesIsSaidAndWhatWasTypedIsKept(t *testing.T) {
	b := newBrowser(t)
	b.open("Take v2")
	b.as = "bob"
	page := b.refused("/acme/app/pull/1/approve", "body", "I find it <good>")
	require.Contains(t, page, "Can not approve your own pull request")
	require.Contains(t, page, "I find it &lt;good&gt;</textarea>")
	require.Contains(t, b.refused("/acme/app/pull/1/label", "label", " "), "it needs a name")
	b.submit("/acme/app/pull/1/merge")
	require.Contains(t, b.refused("/acme/app/pull/1/merge"), `role="alert"`)
}

func TestTheCIIsToldHowItsChecksEnd(t *testing.T) {
	b := newBrowser(t)
	b.open("Take v2")
	sha := b.Head(app, "change")
	id, err := b.CreateCheckRun(app, githubsim.CheckSpec{Name: "build", SHA: sha, Status: "in_progress"})
	require.NoError(t, err)
	require.NoError(t, b.CreateStatus(app, sha, "bob", "argocd/dev", "pending", ""))
	require.Contains(t, b.see("/acme/app/pull/1"), fmt.Sprintf("/acme/app/runs/%d/finish", id))
	require.Equal(t, "/acme/app/pull/1",
		b.submit(fmt.Sprintf("/acme/app/runs/%d/finish", id), "conclusion", "failure", "back", "/acme/app/pull/1"))
	run, _ := b.CheckRun(app, id)
	require.Equal(t, "failure", run.Conclusion)
	require.Contains(t, b.refused(fmt.Sprintf("/acme/app/runs/%d/finish", id), "conclusion", "success"),
		"not a check of the CI that is under way")
	b.submit("/acme/app/commit/"+sha+"/status", "context", "argocd/dev", "conclusion", "success", "back", "/")
	require.Equal(t, "success", b.Statuses(app, sha)[0].State)
	require.Contains(t, b.refused("/acme/app/commit/"+sha+"/status", "context", "argocd/dev", "conclusion", "failure"),
		"it is not pending")
	require.NotContains(t, b.see("/acme/app/pull/1"), "/finish")

	b.submit("/-/ci", "waits", "yes", "back", "/")
	require.True(t, b.ci.Waits())
	require.Contains(t, b.see("/"), "The CI waits for you")
	b.submit("/-/ci", "waits", "no", "back", "/")
	require.False(t, b.ci.Waits())
}

func TestWhoIsPlayedIsChosen(t *testing.T) {
	b := newBrowser(t)
	for as, want := range map[string]string{"": "ann", "nobody": "ann", "bob": "bob"} {
		b.as = as
		require.Regexp(t, `value="`+want+`"[^>]*aria-pressed`, b.see("/"), as)
	}
	response, _ := b.send("POST", "/-/as", values([]string{"login", "eve", "back", "/acme/app"}))
	require.Equal(t, "eve", response.Cookies()[0].Value)
	require.Equal(t, "/acme/app", response.Header.Get("Location"))
	response, _ = b.send("POST", "/-/as", values([]string{"login", "mallory"}))
	require.Empty(t, response.Cookies())
}

func TestFormsOfOtherSitesAndOtherNamesOfThisMachineAreNotTaken(t *testing.T) {
	b := newBrowser(t)
	n := b.open("Take v2")
	foreign := func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }
	rebound := func(r *http.Request) { r.Host = "evil.example" }
	response, _ := b.send("POST", "/acme/app/pull/1/merge", nil, foreign)
	require.Equal(t, http.StatusForbidden, response.StatusCode)
	for _, method := range []string{"GET", "POST"} {
		response, _ = b.send(method, "/acme/app/pull/1/merge", nil, rebound)
		require.Equal(t, http.StatusMisdirectedRequest, response.StatusCode)
	}
	pull, _ := b.Pull(app, n)
	require.Equal(t, "open", pull.State)
	for _, elsewhere := range []string{
		"http://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "",
	} {
		require.Equal(t, "/", b.submit("/-/ci", "back", elsewhere), elsewhere)
	}
}
