package gh

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// TestThePushesBehindAHeadT15: commits of the pull request are a, b and c; m is the base's, and x was forced away.
func TestThePushesBehindAHeadT15(t *testing.T) {
	const none = "0000000000000000000000000000000000000000"
	made := func(after promotion.SHA) push { return push{none, after, "branch_creation", nil} }
	pushed := func(before, after promotion.SHA) push { return push{before, after, "push", nil} }
	forced := func(before, after promotion.SHA) push { return push{before, after, "force_push", nil} }
	for name, c := range map[string]struct {
		all      []push // the newest first
		theirs   int
		complete bool
	}{
		"one made the branch":         {[]push{made("c")}, 1, true},
		"several":                     {[]push{pushed("b", "c"), pushed("a", "b"), made("a")}, 3, true},
		"one behind the merge":        {[]push{pushed("c", "y"), pushed("b", "c"), made("b")}, 2, true},
		"the branch was deleted":      {[]push{{"c", none, "branch_deletion", nil}, made("c")}, 1, true},
		"an older branch of its name": {[]push{made("c"), {"y", none, "branch_deletion", nil}, made("y")}, 1, true},
		"it was deleted and made anew": {[]push{made("c"), {"c", none, "branch_deletion", nil}, pushed("b", "c"), made("b")},
			3, true},
		"the same, and the list ends": {[]push{made("c"), {"c", none, "branch_deletion", nil}}, 1, false},
		"from what the base has":      {[]push{pushed("b", "c"), pushed("m", "b"), pushed("l", "m")}, 2, true},
		"forced back":                 {[]push{forced("x", "c"), pushed("c", "x"), pushed("m", "c"), made("m")}, 4, true},
		"forced, and the list ends":   {[]push{forced("x", "c"), pushed("c", "x")}, 2, false},
		"the list ends":               {[]push{pushed("b", "c"), pushed("a", "b")}, 2, false},
		"one is missing":              {[]push{pushed("b", "c"), made("a")}, 1, false},
		"the newest is not there yet": {[]push{pushed("a", "b"), made("a")}, 0, false},
		"none":                        {nil, 0, false},
	} {
		theirs, complete := ledTo(c.all, "c", map[promotion.SHA]bool{"a": true, "b": true, "c": true})
		require.Len(t, theirs, c.theirs, name)
		require.Equal(t, c.complete, complete, name)
	}
}
