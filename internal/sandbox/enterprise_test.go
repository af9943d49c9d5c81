package sandbox

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
)

// TestFreightComesToProdOnAnEnterpriseServer promotes freight through two stages on an Enterprise Server: without rate
// limits and their headers, and with commits that nobody has signed. An outage there ends as on github.com, although
// the server does not know the request by which Waybill asks whether it is over. The doctor finds nothing.
func TestFreightComesToProdOnAnEnterpriseServer(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage+`  prod:
    {from: api, set: {prod.yaml: {tag: "${api.short}"}}, verify: [prod], after: {all: [dev]}}
`)
	token := s.withTokens(api.Token{Name: "ops"})[0]
	s.github.BeEnterprise("3.16.0")
	s.do("merge #1 by ann", "check smoke success on dev", "check prod success on prod")
	require.Equal(t, s.source(1), s.hosts("dev.yaml"))
	require.Equal(t, s.source(1), s.hosts("prod.yaml"))

	s.github.Faults().FailNext(githubsim.Route{}, githubsim.Fault{Status: http.StatusServiceUnavailable, Times: 8})
	s.do("merge #2 by ann", "wait 2h", "check smoke success on dev", "wait 2h", "check prod success on prod", "wait 1h")
	require.Equal(t, s.source(2), s.hosts("prod.yaml"))
	for _, one := range s.doctor(token).Findings {
		require.NotEqual(t, api.StateFail, one.State, one)
	}
}
