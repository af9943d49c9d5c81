package githubsim

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAGitHubWithoutANetworkIsAskedAndPostsByHand(t *testing.T) {
	s, err := Start(Options{Offline: true, Unchecked: true, WebhookURL: "http://app.invalid/hook"})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.CreateRepo("acme/app", map[string]string{"README.md": "hello\n"}))
	_, err = s.InstallApp("acme")
	require.NoError(t, err)
	client := http.Client{Transport: s}

	request, err := http.NewRequest("GET", s.V3URL()+"/repos/acme/app/branches/main", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+s.UserToken("ann"))
	answer, err := client.Do(request)
	require.NoError(t, err)
	require.Equal(t, 200, answer.StatusCode)
	s.Faults().FailNext(Route{}, Fault{LoseReply: true})
	_, err = client.Do(request)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)

	waiting := s.Waiting()
	require.NotEmpty(t, waiting)
	app := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/hook", r.URL.Path)
		require.Equal(t, waiting[0].GUID, r.Header.Get("X-GitHub-Delivery"))
		w.WriteHeader(http.StatusAccepted)
	})
	require.Equal(t, 202, s.Post(waiting[0].ID, app).StatusCode)
	require.Len(t, s.Waiting(), len(waiting)-1)
	require.Equal(t, 502, s.Post(s.Redelivered(t), nil).StatusCode)
}

// Redelivered requests the last delivery again and returns the id of the new one.
func (s *Server) Redelivered(t *testing.T) int64 {
	require.Equal(t, 1, s.Redeliver(1))
	waiting := s.Waiting()
	return waiting[len(waiting)-1].ID
}
