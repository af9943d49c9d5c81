package contract

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/require"
)

// Each test runs the client that needs an exception against a server that answers with filled bodies.

func TestGhinstallationAsksForATokenWithNull(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	encoded := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	var seen reports
	var body string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read, err := takeBody(r.Body)
		if err != nil {
			t.Error(err)
		}
		body = string(read)
		reply(t, w, r, 201, map[string]any{"token": "ghs_1", "expires_at": "2999-01-01T00:00:00Z"})
	}))
	defer api.Close()
	installation, err := ghinstallation.New(loaded(t).Transport(http.DefaultTransport, seen.add), 1, 2, encoded)
	require.NoError(t, err)
	installation.BaseURL = api.URL + "/api/v3"

	token, err := installation.Token(context.Background())
	require.NoError(t, err)
	require.Equal(t, "ghs_1", token)
	require.Equal(t, "null\n", body, "else the exception is not needed")
	require.Empty(t, seen.errs)
}

func TestGoGithubAddsLabelsAsABareArray(t *testing.T) {
	client, seen := goGithub(t, func(w http.ResponseWriter, r *http.Request) { replyList(t, w, r) })
	_, _, err := client.Issues.AddLabelsToIssue(context.Background(), "acme", "api", 7, []string{"waybill"})
	require.NoError(t, err)
	_, _, err = client.Issues.ReplaceLabelsForIssue(context.Background(), "acme", "api", 7, []string{"waybill"})
	require.NoError(t, err)
	require.Empty(t, seen.errs)
}

func TestABareArrayIsOneOfLabels(t *testing.T) {
	const add = "POST /repos/acme/api/issues/7/labels"
	require.ErrorContains(t, loaded(t).CheckRequest(request(add, "[]"), []byte(`[1]`)), "/0: value must be a string")
	const assign = "POST /repos/acme/api/issues/7/assignees"
	require.ErrorContains(t, loaded(t).CheckRequest(request(assign, "[]"), []byte(`["mona"]`)), "value must be an object",
		"and of nothing else")
}

func TestGoGithubReadsTheRootFolder(t *testing.T) {
	client, seen := goGithub(t, func(w http.ResponseWriter, r *http.Request) { replyList(t, w, r) })
	_, _, _, err := client.Repositories.GetContents(context.Background(), "acme", "api", "", nil)
	require.NoError(t, err)
	require.Empty(t, seen.errs)
}

func TestGitHubAnswersAnyOperationWithACommonError(t *testing.T) {
	c := loaded(t)
	body := func(status string) string {
		return `{"message": "no", "documentation_url": "https://docs.github.com/rest", "status": "` + status + `"}`
	}
	for status, text := range map[int]string{
		400: "400", 401: "401", 403: "403", 404: "404", 405: "405", 409: "409", 410: "410", 422: "422", 429: "429",
		500: "500", 503: "503",
	} {
		require.NoError(t, c.CheckExchange(exchange(t, createRun, newRun, status, body(text))))
		require.NoError(t, c.CheckExchange(exchange(t, mergePull, "", status, body(text))))
	}
	require.ErrorContains(t, c.CheckExchange(exchange(t, createRun, newRun, 418, body("418"))),
		"GitHub documents only 201")

	sentences := `{"message": "Validation Failed", "errors": ["too many actions"], "documentation_url": ` +
		`"https://docs.github.com/rest"}`
	objects := `{"message": "Validation Failed", "errors": [{"resource": "CheckRun", "code": "invalid"}], ` +
		`"documentation_url": "https://docs.github.com/rest"}`
	require.NoError(t, c.CheckExchange(exchange(t, createRun, newRun, 422, sentences)))
	require.NoError(t, c.CheckExchange(exchange(t, createRun, newRun, 422, objects)))
}

func TestAnErrorDescribedWithoutABodyMayHaveOne(t *testing.T) {
	c := loaded(t)
	const merge, body = "POST /repos/acme/api/merges", `{"base": "main", "head": "x"}`
	require.NoError(t, c.CheckExchange(exchange(t, merge, body, 409, "")))
	require.NoError(t, c.CheckExchange(exchange(t, merge, body, 409, `{"message": "Merge conflict", "status": "409"}`)))
	require.Error(t, c.CheckExchange(exchange(t, merge, body, 409, `{"conflict": true}`)))
}

func TestTheErrorOfAStaleShaMatchesBothOfItsForms(t *testing.T) {
	const put, body = "PUT /repos/acme/api/contents/app.yaml", `{"message": "m", "content": "aGk=", "sha": "4f2a"}`
	require.NoError(t, loaded(t).CheckExchange(exchange(t, put, body, 409,
		`{"message": "app.yaml does not match 4f2a", "documentation_url": "https://docs.github.com/rest"}`)))
}

func TestAnyReadMayBeAnsweredWithUnchanged(t *testing.T) {
	x := exchange(t, "GET /repos/acme/api", "", 304, "")
	x.Request.Header.Set("If-None-Match", `"4f2a"`)
	require.NoError(t, loaded(t).CheckExchange(x))
}

func TestAnOutageMayBeAPageOfHTML(t *testing.T) {
	c := loaded(t)
	for _, line := range []string{mergePull, "POST /api/graphql"} {
		x := exchange(t, line, `{"query": "{ viewer { login } }"}`, 502, "<html>Unicorn!</html>")
		if line == mergePull {
			x.RequestBody = []byte(`{}`)
		}
		x.Header = http.Header{"Content-Type": {"text/html"}}
		require.NoError(t, c.CheckExchange(x), line)
		x.Status = 200
		require.Error(t, c.CheckExchange(x), line)
	}
}

func TestARawAnswerIsFineForOneWhoAskedForIt(t *testing.T) {
	x := exchange(t, getPull, "", 200, "diff --git a/app.yaml b/app.yaml")
	x.Header = http.Header{"Content-Type": {"application/vnd.github.v3.diff; charset=utf-8"}}
	require.Error(t, loaded(t).CheckExchange(x))
	x.Request.Header.Set("Accept", "application/vnd.github.v3.diff")
	require.NoError(t, loaded(t).CheckExchange(x))
	x.Status = 201
	require.Error(t, loaded(t).CheckExchange(x), "which is one who reads")
	x.Status, x.Body = 200, []byte(`{}`)
	x.Header.Set("Content-Type", "application/json")
	require.Error(t, loaded(t).CheckExchange(x), "and JSON is never raw")
}

// goGithub returns a client of a server made from a handler. It collects the violations of both.
func goGithub(t *testing.T, handler http.HandlerFunc) (*github.Client, *reports) {
	t.Helper()
	api := httptest.NewServer(handler)
	t.Cleanup(api.Close)
	seen := &reports{}
	client, err := github.NewClient(&http.Client{Transport: loaded(t).Transport(http.DefaultTransport,
		seen.add)}).WithEnterpriseURLs(api.URL, api.URL)
	require.NoError(t, err)
	return client, seen
}

// reply answers a request with a filled object. It runs in the server's goroutine, which must not stop a test.
func reply(t *testing.T, w http.ResponseWriter, r *http.Request, status int, have map[string]any) {
	filled, err := loaded(t).Fill(r.Method, r.URL.EscapedPath(), status, have)
	if err != nil {
		t.Error(err)
	}
	send(t, w, status, filled)
}

// replyList is reply for a list of one filled object.
func replyList(t *testing.T, w http.ResponseWriter, r *http.Request) {
	filled, err := loaded(t).FillList(r.Method, r.URL.EscapedPath(), 200, []map[string]any{{}})
	if err != nil {
		t.Error(err)
	}
	send(t, w, 200, filled)
}

// send writes a JSON response.
func send(t *testing.T, w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		t.Error(err)
	}
}

// TestARedirectSaysWhereTo: GitHub redirects from each former name of a repository, also where an operation does not
// document it.
func TestARedirectSaysWhereTo(t *testing.T) {
	moved := func(header http.Header) error {
		header.Set("Content-Type", "application/json; charset=utf-8")
		return loaded(t).CheckExchange(Exchange{
			Request: httptest.NewRequest(http.MethodGet, "/api/v3/repos/acme/api/branches", nil), Status: 301, Header: header,
			Body: []byte(`{"message":"Moved Permanently","url":"https://api.github.com/repositories/1/branches"}`),
		})
	}
	require.NoError(t, moved(http.Header{"Location": {"https://api.github.com/repositories/1/branches"}}))
	require.ErrorContains(t, moved(http.Header{}), "a redirect says where to")
}
