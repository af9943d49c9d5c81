package gh

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWhatSomebodyHasEditedIsNotSaidByItsAuthor: whoever may write may edit the comments of others, on GitHub, and the
// list names the author alone.
func TestWhatSomebodyHasEditedIsNotSaidByItsAuthor(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.CreateUser("eve", "acme"))
	require.NoError(t, k.SetPermission(repo, "eve", "write"))
	number := k.discussed()
	since := k.clock.Now()
	said, err := k.Server.Comment(repo, number, "ann", "/hold dev")
	require.NoError(t, err)
	edited, err := k.Server.Comment(repo, number, "ann", "Thank you.")
	require.NoError(t, err)
	k.clock.Advance(time.Minute)
	require.NoError(t, k.EditComment(repo, edited, "eve", "/unhold dev"))
	all, err := k.client.Comments.Since(t.Context(), since)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, said, all[0].ID)
	require.Equal(t, "/hold dev", all[0].Text)
}
