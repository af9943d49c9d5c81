package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestThePublicRoutesNameNoRepositoryAndNoPerson looks at what everybody may read after some work, and in an outage.
// Only metrics name home repositories and stages.
func TestThePublicRoutesNameNoRepositoryAndNoPerson(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke success on dev", "comment #1 by bob: /hold dev for the fair", "merge #2 by ann",
		"resync")
	look := func() {
		for _, path := range []string{"/healthz", "/readyz", "/readyz?verbose", "/metrics"} {
			a := s.api("", http.MethodGet, path)
			require.NotEmpty(t, a.body, path)
			names := []string{"api#", "\"ann", "\"bob", "fair", "smoke"}
			if path != "/metrics" {
				names = append(names, "acme", "deploy", "dev")
			}
			for _, name := range names {
				require.False(t, strings.Contains(a.body, name), "%s names %s", path, name)
			}
		}
	}
	look()
	s.github.Faults().FailNext(githubsim.Route{Path: "/graphql"},
		githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	s.do("comment #1 by bob: /unhold dev", "wait 5m")
	look()
}
