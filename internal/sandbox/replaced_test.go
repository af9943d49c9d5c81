package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestWhatWasDeployedStaysVerifiedWhenSomethingElseIsDeployedThere: GitHub sets the older deployment of an environment
// to inactive when a newer one succeeds. The stage still hosts the freight of the other warehouse.
func TestWhatWasDeployedStaysVerifiedWhenSomethingElseIsDeployedThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
  web: {pull-requests: {branch: main, paths: [web/**]}}
stages:
  dev: {from: {api: {}, web: {}}, set: {dev.yaml: {api: "${api.short}", web: "${web.short}"}},
    verify: [{deployment: dev-env, skipped: fail}]}
  prod: {from: api, after: {all: [dev], soak: 10m}, set: {prod.yaml: {tag: "${api.short}"}}}
`)
	require.NoError(t, s.meet("ann"))
	require.NoError(t, s.mergeFiles(1, map[string]*string{"src/1": githubsim.Text("x\n")}))
	s.quiet()
	s.do("deployment dev-env success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	s.do("wait 1m")
	require.NoError(t, s.mergeFiles(2, map[string]*string{"web/2": githubsim.Text("x\n")}))
	s.quiet()
	s.do("deployment dev-env success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 web#2 dev succeeded"}, s.states("dev"))
	s.do("wait 11m")
	require.Equal(t, []string{"p3 api#1 prod succeeded"}, s.states("prod"))
}
