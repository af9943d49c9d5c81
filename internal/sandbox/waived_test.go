package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestARollbackByOneStepSaysThatItNeedsNoSignOffs rolls a stage back twice: the second time it needs them.
func TestARollbackByOneStepSaysThatItNeedsNoSignOffs(t *testing.T) { // semantics 4.13
	t.Parallel()
	s := newSite(t, strings.Replace(signedByOne, "approvals: 1", "approvals: 1, merge: manual", 1))
	for _, n := range []string{"1", "2", "3"} {
		s.do("merge #"+n+" by ann", "comment #"+n+" by bob: /approve dev", "merge p"+n+" by cleo", "wait 1m")
	}
	s.do("comment #3 by ann: /rollback dev", "wait 1m")
	require.Contains(t, s.newestBody(), "**What happens:** a person merges it, without sign-offs, because it goes "+
		"back to what was verified there last.")
	s.do("merge p4 by cleo", "comment #3 by ann: /rollback dev to api#1", "wait 1m")
	require.Contains(t, s.newestBody(), "**What happens:** a person signs it off, then a person merges it.")
	require.Contains(t, s.newestBody(), "/approve dev")
	require.Contains(t, asSeen(s.below(3, "ann", "/why dev api#1")), "1 more sign-off is needed")
	s.do("comment #1 by bob: /approve dev", "wait 1m")
	require.Contains(t, s.newestBody(), "**What happens:** a person merges it.")
}
