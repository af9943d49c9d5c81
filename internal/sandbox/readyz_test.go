package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestAnInstallationThatGitHubDoesNotAnswerForDoesNotMakeTheServerUnready: it works for all others.
func TestAnInstallationThatGitHubDoesNotAnswerForDoesNotMakeTheServerUnready(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.hearsOnce() // each answer counts
	answer := func(query string) (status int, said string, installations map[string]string) {
		response, err := http.Get(s.program.url + "/readyz" + query)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		var state struct{ Installations map[string]string }
		require.NoError(t, json.Unmarshal(body, &state))
		return response.StatusCode, string(body), state.Installations
	}
	s.github.Faults().FailNext(githubsim.Route{Path: "/graphql"},
		githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	s.do("merge #1 by ann")
	status, said, _ := answer("")
	require.Equal(t, http.StatusOK, status, said)
	require.NotContains(t, said, "installations")
	_, said, installations := answer("?verbose")
	require.Len(t, installations, 1)
	require.Contains(t, said, "it answered 502 Bad Gateway")
	s.github.Faults().Clear()
	s.do("wait 5m")
	_, _, installations = answer("?verbose")
	require.Empty(t, installations)
}
