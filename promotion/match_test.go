package promotion

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAStarStandsForAnyCharactersNoneIncluded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab*]{0,8}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[ab]{0,8}`).Draw(t, "name")
		same := regexp.MustCompile("^" + strings.ReplaceAll(pattern, "*", ".*") + "$")
		if got, want := Match(pattern, name), same.MatchString(name); got != want {
			t.Fatalf("Match(%q, %q) is %v, not %v", pattern, name, got, want)
		}
	})
	require.True(t, Match("e2e / *", "e2e / chrome / 1"))
	require.False(t, Match("smoke", "smoke-2"))
	require.False(t, Match("build [*]", "build x"))
}

func TestAPatternOfManyStarsIsMatchedInNoTime(t *testing.T) {
	require.False(t, Match(strings.Repeat("a*", 1000)+"b", strings.Repeat("a", 10_000)))
}
