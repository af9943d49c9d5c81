package promotion

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePullRequestSaysWhichIssuesItCloses(t *testing.T) {
	for text, issues := range map[string][]string{
		"Fixes #12": {"acme/api#12"},
		"closes: #1, resolves acme/web#2\nfix #1":  {"acme/api#1", "acme/web#2"},
		"Closed https://github.com/a/b/issues/7.":  {"a/b#7"},
		"see #12, prefixes #3, fixes#4, fixes # 5": nil,
		"<!-- Fixes #123 -->\nfixed #9":            {"acme/api#9"},
		"<!-- Fixes #123":                          nil,
		"fixes #12345678901":                       nil,
		"":                                         nil,
	} {
		require.Equal(t, issues, IssuesIn(text, "acme/api"), text)
	}
	many := strings.Repeat("fixes #1 fixes #2 fixes #3 fixes #4 fixes #5 fixes #6 ", 1000) +
		"fixes #7 fixes #8 fixes #9 fixes #10 fixes #11"
	require.Len(t, IssuesIn(many, "acme/api"), 10)
}
