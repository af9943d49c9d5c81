package sandbox_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/sandbox"
)

// TestACommentOnAPageIsAnsweredOnThePage sends the comment form as a browser does. Waybill gets a webhook, and the page
// shows its reaction.
func TestACommentOnAPageIsAnsweredOnThePage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	connect := filepath.Join(t.TempDir(), "connect.json")
	ended := make(chan error, 1)
	go func() { ended <- sandbox.Play(ctx, io.Discard, sandbox.Settings{Connect: connect}) }()
	defer func() { cancel(); require.NoError(t, <-ended) }()
	require.Eventually(t, func() bool { _, err := os.Stat(connect); return err == nil }, time.Minute, 10*time.Millisecond)
	text, err := os.ReadFile(connect)
	require.NoError(t, err)
	var to struct{ GitHub string }
	require.NoError(t, json.Unmarshal(text, &to))
	page := to.GitHub + "/acme/api/pull/143"

	says(t, page+"/comment", "eve", "/hold prod")
	shows(t, page, `title="-1"`)
	says(t, page+"/comment", "bob", "/hold prod for the weekend")
	shows(t, page, `title="rocket"`)
	says(t, page+"/merge", "bob", "")
	shows(t, to.GitHub+"/acme/deploy", "api#143")
}

// says sends the comment form as a login.
func says(t *testing.T, to, login, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to,
		strings.NewReader(url.Values{"body": {body}}.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.AddCookie(&http.Cookie{Name: "waybill-sandbox-as", Value: login})
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusSeeOther, response.StatusCode)
}

// shows waits until a page contains a text.
func shows(t *testing.T, page, want string) {
	t.Helper()
	require.Eventually(t, func() bool {
		response, err := http.Get(page)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return err == nil && strings.Contains(string(body), want)
	}, time.Minute, 50*time.Millisecond, "%s never shows %q", page, want)
}
