package promotion

import (
	"testing"

	"github.com/Masterminds/semver/v3"
	"github.com/stretchr/testify/require"
)

func TestVersionsOfOneTimeStandInTheirOrder(t *testing.T) {
	ordered := []string{
		"0.9.9", "1.0.0-1", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
		"1.0.0-rc.2047", "1.0.0", "1.0.1", "1.2.0-rc.9", "1.2.0",
		"1.10.0", "2.0.0", "32767.65535.65535",
	}
	for i := range ordered[1:] {
		lower, higher := semver.MustParse(ordered[i]), semver.MustParse(ordered[i+1])
		require.Less(t, rank(lower), rank(higher), "%s before %s", lower, higher)
	}
	require.Positive(t, rank(semver.MustParse("18446744073709551615.1.1")), "what is too large is the largest")
}
