package gh

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// taggedServer is a GitHub whose answers to GET have an ETag. It answers 304 to a request with the newest ETag.
type taggedServer struct {
	etag, body string
	status     int
	asked      []string // If-None-Match of each request
}

func (s *taggedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	named := r.Header.Get("If-None-Match")
	s.asked = append(s.asked, named)
	w.Header().Set("Date", strings.Repeat("I", len(s.asked)))
	if s.etag != "" {
		w.Header().Set("ETag", s.etag)
	}
	if named != "" && named == s.etag {
		w.Header().Set("Content-Type", "text/none")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Link", "<next>")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, s.body)
}

// asks returns a function that sends a GET for a client and returns the answer and its body.
func asks(t *testing.T, s *taggedServer) func(client, accept, path string) (*http.Response, string) {
	hub := hubOfNobody(t)
	return func(client, accept, path string) (*http.Response, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://github.invalid"+path, nil)
		require.NoError(t, err)
		request.Header.Set("Accept", accept)
		through := hub.answers.revalidating(client, hub.installationOf(1).limited("", direct{s}))
		response, err := through.RoundTrip(request)
		require.NoError(t, err)
		require.Empty(t, request.Header.Get("If-None-Match"), "the caller's request was changed")
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response, string(body)
	}
}

func TestAnAnswerThatHasNotChangedIsGivenAgain(t *testing.T) {
	s := &taggedServer{etag: `"1"`, body: `["one"]`, status: http.StatusOK}
	ask := asks(t, s)
	for range 3 {
		response, body := ask("c", "json", "/a")
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Equal(t, `["one"]`, body)
		require.Equal(t, int64(len(body)), response.ContentLength)
		require.Equal(t, "<next>", response.Header.Get("Link"), "GitHub said it with the body only")
		require.Equal(t, "application/json", response.Header.Get("Content-Type"))
		require.Len(t, response.Header.Get("Date"), len(s.asked), "the newest is GitHub's last word")
	}
	require.Equal(t, []string{"", `"1"`, `"1"`}, s.asked)
}

func TestAnAnswerThatHasChangedReplacesTheOneThatIsKept(t *testing.T) {
	s := &taggedServer{etag: `"1"`, body: `["one"]`, status: http.StatusOK}
	ask := asks(t, s)
	ask("c", "json", "/a")
	s.etag, s.body = `"2"`, `["two"]`
	_, body := ask("c", "json", "/a")
	require.Equal(t, `["two"]`, body)
	_, body = ask("c", "json", "/a")
	require.Equal(t, `["two"]`, body)
	require.Equal(t, []string{"", `"1"`, `"2"`}, s.asked)
}

func TestAnAnswerIsKeptForOneClientAddressAndMediaTypeT22(t *testing.T) {
	s := &taggedServer{etag: `"1"`, body: `["one"]`, status: http.StatusOK}
	ask := asks(t, s)
	ask("c", "json", "/a")
	ask("d", "json", "/a")
	ask("c", "raw", "/a")
	ask("c", "json", "/a?page=2")
	require.Equal(t, []string{"", "", "", ""}, s.asked)
}

func TestWhatIsNotReadableAnyMoreIsForgotten(t *testing.T) {
	s := &taggedServer{etag: `"1"`, body: `["one"]`, status: http.StatusOK}
	ask := asks(t, s)
	ask("c", "json", "/a")
	s.etag, s.status = "", http.StatusNotFound
	response, _ := ask("c", "json", "/a")
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	s.etag, s.status = `"1"`, http.StatusOK
	ask("c", "json", "/a")
	require.Equal(t, []string{"", `"1"`, ""}, s.asked)
}

func TestWhatIsTooLargeOrCannotBeAskedForIsNotKept(t *testing.T) {
	for name, s := range map[string]*taggedServer{
		"too large": {etag: `"1"`, body: strings.Repeat("x", largestCached+1), status: http.StatusOK},
		"no ETag":   {body: "x", status: http.StatusOK},
		"not a 200": {etag: `"1"`, body: "x", status: http.StatusAccepted},
	} {
		ask := asks(t, s)
		_, first := ask("c", "json", "/a")
		_, second := ask("c", "json", "/a")
		require.Equal(t, []string{"", ""}, s.asked, name)
		require.Equal(t, s.body, first, name)
		require.Equal(t, s.body, second, name)
	}
}

func TestOnlyWhatIsReadIsKept(t *testing.T) {
	s := &taggedServer{etag: `"1"`, body: `["one"]`, status: http.StatusOK}
	hub := hubOfNobody(t)
	through := hub.answers.revalidating("c", hub.installationOf(1).limited("", direct{s}))
	for range 2 {
		body := strings.NewReader("{}")
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://github.invalid/a", body)
		require.NoError(t, err)
		_, err = through.RoundTrip(request)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"", ""}, s.asked)
}
