package gh

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// noDiff is GitHub's answer where it cannot work out what a change is, however often it is asked.
const noDiff = `{"message": "Server Error: Sorry, this diff is taking too long to generate.",
	"errors": [{"resource": "PullRequest", "field": "diff", "code": "not_available"}], "status": "422"}`

// TestAChangeThatGitHubCannotWorkOutMayBeAnything: a pull request touches more than is listed, and commits are compared
// file by file.
func TestAChangeThatGitHubCannotWorkOutMayBeAnything(t *testing.T) {
	hub, _ := wire(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "/git/trees/before"):
			fmt.Fprint(w, `{"sha": "before", "tree": [{"path": "a", "mode": "100644", "type": "blob", "sha": "1"}]}`)
		case strings.Contains(r.URL.Path, "/git/trees/after"):
			fmt.Fprint(w, `{"sha": "after", "tree": [{"path": "a", "mode": "100644", "type": "blob", "sha": "2"}]}`)
		case strings.Contains(r.URL.Path, "/git/commits/after"):
			fmt.Fprint(w, `{"sha": "after", "committer": {"date": "2026-03-02T12:00:00Z"}}`)
		default:
			limit{422, nil, noDiff}.write(w)
		}
	})
	c := must(t, hub, 1, repo)
	files, err := c.Pulls.Files(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, promotion.Touched{More: true}, files)
	paths, err := c.Commits.ChangedPaths(t.Context(), "before", "after")
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, paths)
	pushes, err := c.Branches.Pushes(t.Context(), "main", "before", "after")
	require.NoError(t, err)
	require.Equal(t, []promotion.Push{
		{Repo: repo, Branch: "main", Before: "before", After: "after", At: noon, Paths: []string{"a"}},
	}, pushes)
}
