package sandbox

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
)

// TestThePolicyIsExplained asks about people with their current permissions at GitHub.
func TestThePolicyIsExplained(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	require.NoError(t, s.meet("bob"))
	require.NoError(t, s.github.SetPermission(home, "bob", "read"))
	_, err := s.github.PushFiles(home, "main", "ann", "Policy", map[string]*string{
		".github/waybill.policy.yml": githubsim.Text("version: 1\nautomatic: [dev]\nmay:\n  hold:\n" +
			"    - {permission: read}\n"),
	})
	require.NoError(t, err)
	s.quiet()
	token := s.withTokens(api.Token{Name: "ci"})[0]
	of := func(login string) (e api.Explanation) {
		got := s.api(token, http.MethodGet, pipelinePath+"/stages/dev/policy/"+login)
		require.Equal(t, http.StatusOK, got.status, got.body)
		require.NoError(t, json.Unmarshal([]byte(got.body), &e))
		return e
	}
	rights := map[string]api.Right{}
	e := of("bob")
	for _, r := range e.Commands {
		rights[r.Command] = r
	}
	require.Equal(t, "read", e.Permission)
	require.True(t, e.Automatic)
	require.Equal(t, api.Right{Command: "hold", May: true, Rule: ".github/waybill.policy.yml:5", Text: "yes"},
		rights["hold"])
	require.Equal(t, api.Right{Command: "promote", Rule: "default", Text: "no: that needs write permission"},
		rights["promote"])
	require.NoError(t, s.github.SetPermission(home, "bob", "admin"))
	require.Equal(t, "admin", of("bob").Permission, "nothing is remembered")

	for path, says := range map[string]string{"/stages/dev/policy/nobody-at-all": "nobody on GitHub is called " +
		"nobody-at-all", "/stages/qa/policy/bob": "no qa here"} {
		got := s.api(token, http.MethodGet, pipelinePath+path)
		require.Equal(t, http.StatusNotFound, got.status)
		require.Contains(t, got.body, says)
	}
	s.github.Faults().FailNext(githubsim.Route{}, githubsim.Fault{Status: http.StatusForbidden})
	require.Equal(t, http.StatusServiceUnavailable,
		s.api(token, http.MethodGet, pipelinePath+"/stages/dev/policy/bob").status)
}
