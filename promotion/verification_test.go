package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestWhichMatchersOverlap(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b promotion.Matcher
		want bool
	}{
		{"the same name", promotion.Matcher{Pattern: "smoke"}, promotion.Matcher{Pattern: "smoke"}, true},
		{"two names", promotion.Matcher{Pattern: "smoke"}, promotion.Matcher{Pattern: "smoke-2"}, false},
		{"a name and a pattern that takes it in", promotion.Matcher{Pattern: "smoke"},
			promotion.Matcher{Pattern: "s*e"}, true},
		{"a name and a pattern that does not", promotion.Matcher{Pattern: "smoke"}, promotion.Matcher{Pattern: "s*t"},
			false},
		{"patterns with a head and a tail", promotion.Matcher{Pattern: "e2e*"}, promotion.Matcher{Pattern: "*smoke"},
			true},
		{"patterns of which one head begins the other", promotion.Matcher{Pattern: "e2e / *"},
			promotion.Matcher{Pattern: "e2e*"}, true},
		{"patterns with other heads", promotion.Matcher{Pattern: "e2e / a*"}, promotion.Matcher{Pattern: "e2e / b*"},
			false},
		{"patterns with other tails", promotion.Matcher{Pattern: "*a"}, promotion.Matcher{Pattern: "*b"}, false},
		{"patterns of which one tail ends the other", promotion.Matcher{Pattern: "*/smoke"},
			promotion.Matcher{Pattern: "*smoke"}, true},
		{"another kind", promotion.Matcher{Kind: promotion.KindCheck, Pattern: "ci"},
			promotion.Matcher{Kind: promotion.KindStatus, Pattern: "ci"}, false},
		{"another app", promotion.Matcher{Pattern: "ci", App: "github-actions"},
			promotion.Matcher{Pattern: "ci", App: "buildkite"}, false},
		{"any app", promotion.Matcher{Pattern: "ci", App: "github-actions"}, promotion.Matcher{Pattern: "ci"}, true},
	} {
		require.Equal(t, c.want, c.a.Overlaps(&c.b), c.name)
		require.Equal(t, c.want, c.b.Overlaps(&c.a), "the other way round: %s", c.name)
	}
}
