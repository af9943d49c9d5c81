package contract

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPathMeansTheOperationThatSpellsOutMost(t *testing.T) {
	c := loaded(t)
	for path, want := range map[string]struct {
		id     string
		params map[string]string
	}{
		"/repos/acme/api/branches/promote/prod": {"repos/get-branch",
			map[string]string{"owner": "acme", "repo": "api", "branch": "promote/prod"}},
		"/repos/acme/api/branches/promote/prod/protection": {"repos/get-branch-protection",
			map[string]string{"owner": "acme", "repo": "api", "branch": "promote/prod"}},
		"/repos/acme/api/branches/promote%2Fprod/protection/required_status_checks": {"repos/get-status-checks-protection",
			map[string]string{"owner": "acme", "repo": "api", "branch": "promote/prod"}},
		"/repos/acme/api/rules/branches/promote/prod": {"repos/get-branch-rules",
			map[string]string{"owner": "acme", "repo": "api", "branch": "promote/prod"}},
		"/repos/acme/api/compare/main...promote/prod": {"repos/compare-commits-with-basehead",
			map[string]string{"owner": "acme", "repo": "api", "basehead": "main...promote/prod"}},
		"/repos/acme/api/git/ref/heads/promote/prod": {"git/get-ref",
			map[string]string{"owner": "acme", "repo": "api", "ref": "heads/promote/prod"}},
		"/repos/acme/api/git/matching-refs/heads/promote/": {"git/list-matching-refs",
			map[string]string{"owner": "acme", "repo": "api", "ref": "heads/promote/"}},
		"/repos/acme/api/contents/deploy/prod/app%20one.yaml": {"repos/get-content",
			map[string]string{"owner": "acme", "repo": "api", "path": "deploy/prod/app one.yaml"}},
		"/repos/acme/api/contents/": {"repos/get-content",
			map[string]string{"owner": "acme", "repo": "api", "path": ""}},
		"/repos/acme/api/contents": {"repos/get-content",
			map[string]string{"owner": "acme", "repo": "api", "path": ""}},
		"/repos/acme/api/commits/heads/promote/prod": {"repos/get-commit",
			map[string]string{"owner": "acme", "repo": "api", "ref": "heads/promote/prod"}},
		"/repos/acme/api/commits/promote/prod/check-runs": {"checks/list-for-ref",
			map[string]string{"owner": "acme", "repo": "api", "ref": "promote/prod"}},
		"/repos/acme/api/commits/4f2a/status": {"repos/get-combined-status-for-ref",
			map[string]string{"owner": "acme", "repo": "api", "ref": "4f2a"}},
		"/repos/acme/api/releases/latest": {"repos/get-latest-release",
			map[string]string{"owner": "acme", "repo": "api"}},
		"/repos/acme/api/releases/tags/v1/beta": {"repos/get-release-by-tag",
			map[string]string{"owner": "acme", "repo": "api", "tag": "v1/beta"}},
		"/repos/acme/api/issues/comments/5": {"issues/get-comment",
			map[string]string{"owner": "acme", "repo": "api", "comment_id": "5"}},
		"/repos/acme/api/issues/5/comments": {"issues/list-comments",
			map[string]string{"owner": "acme", "repo": "api", "issue_number": "5"}},
	} {
		for _, prefix := range []string{"", "/api/v3"} {
			operation, ok := c.Operation("GET", prefix+path)
			require.True(t, ok, prefix+path)
			require.Equal(t, want.id, operation.ID, prefix+path)
			require.Equal(t, want.params, operation.Params, prefix+path)
		}
	}
}

func TestTheMethodDecidesBetweenOperationsOfOnePath(t *testing.T) {
	c := loaded(t)
	for method, want := range map[string]string{"PATCH": "git/update-ref", "DELETE": "git/delete-ref"} {
		operation, ok := c.Operation(method, "/api/v3/repos/acme/api/git/refs/heads/x/y")
		require.True(t, ok)
		require.Equal(t, want, operation.ID)
		require.Equal(t, "heads/x/y", operation.Params["ref"])
		require.Equal(t, method+" /repos/{owner}/{repo}/git/refs/{ref}", operation.String())
	}
	_, ok := c.Operation("PUT", "/repos/acme/api/git/refs/heads/x/y")
	require.False(t, ok)
}

func TestAnOwnerOrRepositoryIsOneSegment(t *testing.T) {
	c := loaded(t)
	for _, path := range []string{
		"/repos/acme/api/extra", "/repos/acme", "/repos//api", "/api/v3/api/v3/repos/acme/api", "/api/v3repos/acme/api",
	} {
		_, ok := c.Operation("GET", path)
		require.False(t, ok, path)
	}
}

func TestEveryOperationHasAnIDOfItsOwn(t *testing.T) {
	seen := map[string]Operation{}
	for _, operation := range loaded(t).Operations() {
		require.NotEmpty(t, operation.ID)
		require.NotContains(t, seen, operation.ID)
		seen[operation.ID] = operation
	}
	require.Greater(t, len(seen), 150)
}
