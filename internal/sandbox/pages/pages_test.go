package pages_test

import (
	"fmt"
	"html"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

func TestEveryPageShowsWhatThereIs(t *testing.T) {
	b := newBrowser(t)
	number := b.open("Take v2")
	_, err := b.Comment(app, number, "ann", "**bold** words")
	require.NoError(t, err)
	id, err := b.CreateCheckRun(app,
		githubsim.CheckSpec{Name: "build", SHA: "change", Conclusion: "failure", Title: "Two are red", Summary: "*which*"})
	require.NoError(t, err)
	require.NoError(t, b.Review(app, number, "ann", "APPROVED", "well done"))
	require.NoError(t, b.AddLabel(app, number, "ann", "urgent"))
	sha, err := b.MergePull(app, number, "bob", "squash")
	require.NoError(t, err)
	require.NoError(t, b.CreateStatus(app, sha, "bob", "argocd/dev", "pending", "syncing"))
	deployment, err := b.CreateDeployment(app, sha, "bob", "dev")
	require.NoError(t, err)
	require.NoError(t, b.CreateDeploymentStatus(app, deployment, "bob", "success"))

	for path, wants := range map[string][]string{
		"/": {"Things to try", "Merge it", "acme/app", "maintains",
			"http://127.0.0.1:1/api/v1/pipelines/acme/app"},
		"/acme/app": {"Take v2", "merged by bob", "change", "deploy/dev.yaml",
			"1 check not done yet", sha[:7]},
		"/acme/app/pull/1": {"<strong>bold</strong>", "merged", "build", "Two are red", "argocd/dev",
			"approved these changes", "well done", "urgent", "deployed to dev", sha[:7]},
		"/acme/app/pull/1/checks":             {"<em>which</em>", "failure", "Checks on the head", "Checks after the merge"},
		"/acme/app/pull/1/files":              {"deploy/dev.yaml", "-tag: v1", "+tag: v2"},
		"/acme/app/commits":                   {"Take v2 (#1)", "Initial commit"},
		"/acme/app/commits/change":            {"Take v2"},
		"/acme/app/commit/" + sha:             {"+tag: v2", "syncing", "dev", "success"},
		"/acme/app/commit/main":               {sha},
		"/acme/app/commit/" + sha[:7]:         {sha},
		fmt.Sprintf("/acme/app/runs/%d", id):  {"Two are red", "failure", "<em>which</em>"},
		"/acme/app/blob/change/README.md":     {"<h1>app</h1>"},
		"/acme/app/blob/HEAD/deploy/dev.yaml": {"tag: v2"},
		"/acme/app/raw/main/deploy/dev.yaml":  {"tag: v2\n"},
		"/-/static/style.css":                 {"prefers-color-scheme: dark"},
		"/-/static/refresh.js":                {"data-live"},
	} {
		body := html.UnescapeString(b.see(path))
		for _, want := range wants {
			require.Contains(t, body, want, path)
		}
	}
	for _, path := range []string{
		"/nobody", "/acme/none", "/acme/app/pull/9", "/acme/app/pull/x/files", "/acme/app/commit/none",
		"/acme/app/blob/main/none", "/acme/app/runs/1", "/acme/app/commits/none", "/-/none", "/acme/app/none",
	} {
		response, body := b.send("GET", path, nil)
		require.Equal(t, http.StatusNotFound, response.StatusCode, path)
		require.Contains(t, body, "Nothing is here", path)
	}
}

func TestAPullRequestIsShownInEveryState(t *testing.T) {
	for state, c := range map[string]struct {
		reach func(*browser, int) error
		wants []string
		not   []string
	}{
		"open": {func(*browser, int) error { return nil }, []string{">open<", `/pull/1/merge"`, `/pull/1/close"`},
			[]string{`/pull/1/reopen"`}},
		"draft": {func(b *browser, n int) error { return b.SetDraft(app, n, "bob", true) }, []string{">draft<"},
			nil},
		"closed": {func(b *browser, n int) error { return b.ClosePull(app, n, "bob") },
			[]string{">closed<", `/pull/1/reopen"`}, []string{`/pull/1/merge"`}},
		"merged": {func(b *browser, n int) error { _, err := b.MergePull(app, n, "bob", ""); return err },
			[]string{">merged<", "merged this into main"}, []string{`/pull/1/merge"`, `/pull/1/reopen"`}},
		"without a branch": {func(b *browser, n int) error { return b.DeleteBranch(app, "change", "bob") },
			[]string{">closed<"}, nil},
	} {
		t.Run(state, func(t *testing.T) {
			b := newBrowser(t)
			require.NoError(t, c.reach(b, b.open("Take v2")))
			for _, tab := range []string{"", "/checks", "/files"} {
				b.see("/acme/app/pull/1" + tab)
			}
			page := b.see("/acme/app/pull/1")
			for _, want := range c.wants {
				require.Contains(t, page, want)
			}
			for _, not := range c.not {
				require.NotContains(t, page, not)
			}
		})
	}
}

func TestTheWordOfEveryConclusionIsSummedUp(t *testing.T) {
	for conclusion, sum := range map[string]string{
		"success": "all checks have passed", "failure": "1 check failed", "timed_out": "1 check failed",
		"cancelled": "1 check, none that decides", "neutral": "1 check, none that decides",
		"skipped": "1 check, none that decides", "action_required": "somebody is asked",
	} {
		b := newBrowser(t)
		b.open("Take v2")
		_, err := b.CreateCheckRun(app, githubsim.CheckSpec{Name: "build", SHA: "change", Conclusion: conclusion})
		require.NoError(t, err)
		require.Contains(t, b.see("/acme/app/pull/1"), sum, conclusion)
	}
}
