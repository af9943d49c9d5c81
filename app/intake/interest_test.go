package intake

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAnotherServerHasHandledIsNoLongerAwaited(t *testing.T) {
	u := &unsettled{waiting: map[string]bool{}}
	u.clear(nil)
	require.True(t, u.add("push"))
	require.False(t, u.add("push"), "it comes once more")
	require.Empty(t, u.inInbox())
	u.clear(u.inInbox())
	require.False(t, u.none(), "it is not in the inbox yet, so an empty inbox says nothing of it")

	u.stored("push")
	u.clear(u.inInbox())
	require.True(t, u.none())

	require.True(t, u.add("next"))
	u.remove("next") // handled here
	u.stored("next")
	require.True(t, u.none(), "handled before it was noted that it is stored")
}
