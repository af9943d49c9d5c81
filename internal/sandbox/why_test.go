package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhyIsAboutTheNewestFreightWhereNoneIsMeant: without a freight, why explains the newest freight on its way.
func TestWhyIsAboutTheNewestFreightWhereNoneIsMeant(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoStages, "after: dev", "after: {any: [dev], soak: 1h}", 1))
	require.NoError(t, s.meet("ann"))
	s.quiet()
	token := s.withTokens(s.acting("ann"))[0]
	require.Equal(t, "nothing", s.gives(token, "", "why prod").Rows[0][1])
	s.do("merge #1 by ann", "check smoke success on dev")
	why := s.gives(token, "", "why prod")
	require.Contains(t, why.Text, "api#1 in prod: Not available yet: soaking in dev")
}
