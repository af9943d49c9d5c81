package gh

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// TestWhetherACommitContainsAnotherIsAskedOnce checks both answers: history behind a commit never changes. A commit
// that is not there may come.
func TestWhetherACommitContainsAnotherIsAskedOnce(t *testing.T) {
	k := newKit(t)
	older := promotion.SHA(k.Head(repo, "main"))
	k.push(map[string]string{"README.md": "newer\n"})
	newer := promotion.SHA(k.Head(repo, "main"))
	unknown := promotion.SHA(strings.Repeat("1", 40))
	for range 2 {
		for _, row := range []struct {
			head, commit promotion.SHA
			want         bool
		}{{newer, older, true}, {newer, newer, true}, {older, newer, false}, {newer, unknown, false}} {
			contains, err := k.client.Commits.Contains(t.Context(), row.head, row.commit)
			require.NoError(t, err)
			require.Equal(t, row.want, contains, row)
		}
	}
	compares := 0
	for _, r := range k.Requests() {
		if r.Method == http.MethodGet && strings.Contains(r.Path, "/compare/") {
			compares++
		}
	}
	require.Equal(t, 5, compares, "three that are known after the first time, and one that is not there twice")
}
