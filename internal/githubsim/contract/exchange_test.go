package contract

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	createRun = "POST /api/v3/repos/acme/api/check-runs"
	getPull   = "GET /api/v3/repos/acme/api/pulls/7"
	listPulls = "GET /api/v3/repos/acme/api/pulls?state=open"
	mergePull = "PUT /api/v3/repos/acme/api/pulls/7/merge"
	getRepo   = "GET /api/v3/repos/acme/api"
	newRun    = `{"name": "waybill", "head_sha": "4f2a"}`
)

func TestAnExchangeAsGitHubDescribesItPasses(t *testing.T) {
	c := loaded(t)
	run := `{"name": "waybill", "head_sha": "4f2a", "status": "completed", "conclusion": "success",
		"output": {"title": "verified", "summary": "all checks passed"},
		"actions": [{"label": "Promote", "description": "to prod", "identifier": "promote"}]}`
	require.NoError(t, c.CheckExchange(exchange(t, createRun, run, 201, answer(t, createRun, 201))))
	require.NoError(t, c.CheckExchange(exchange(t, getPull, "", 200, answer(t, getPull, 200))))
	require.NoError(t, c.CheckExchange(exchange(t, listPulls, "", 200, "[]")))
	require.NoError(t, c.CheckExchange(exchange(t, mergePull, `{"merge_method": "squash"}`, 200,
		answer(t, mergePull, 200))))
	require.NoError(t, c.CheckExchange(exchange(t, "DELETE /repos/acme/api/git/refs/heads/x/y", "", 204, "")))
}

func TestARequestThatGitHubWouldRefuseIsAViolation(t *testing.T) {
	c := loaded(t)
	for name, test := range map[string]struct {
		request, body string
		want          string
	}{
		"without the head_sha of a check run": {
			createRun, `{"name": "waybill"}`, `/head_sha: property "head_sha" is missing`,
		},
		"with an unknown conclusion": {
			createRun, `{"name": "w", "head_sha": "a", "status": "completed", "conclusion": "ok"}`,
			"/conclusion: value is not one of the allowed values",
		},
		"with a button of over 20 characters": {
			createRun,
			`{"name": "w", "head_sha": "a", "actions": [{"label": "Promote to production", "description": "d", ` +
				`"identifier": "i"}]}`, "/actions/0/label: maximum string length is 20",
		},
		"with four buttons": {
			createRun, `{"name": "w", "head_sha": "a", "actions": [` +
				strings.Repeat(`{"label": "l", "description": "d", "identifier": "i"},`, 3) +
				`{"label": "l", "description": "d", "identifier": "i"}]}`, "/actions: maximum number of items is 3",
		},
		"completed without a conclusion": {
			createRun, `{"name": "w", "head_sha": "a", "status": "completed"}`,
			`/conclusion: a check run with status "completed" needs one`,
		},
		"finished without a conclusion": {
			createRun, `{"name": "w", "head_sha": "a", "completed_at": "2026-01-01T00:00:00Z"}`,
			"/conclusion: a check run with completed_at needs one",
		},
		"with a conclusion that only GitHub sets": {
			"PATCH /repos/acme/api/check-runs/1", `{"status": "completed", "conclusion": "stale"}`,
			`/conclusion: only GitHub sets "stale"`},
		"with an unknown merge method": {
			mergePull, `{"merge_method": "octopus"}`, "/merge_method: value is not one of the allowed values",
		},
		"with an unknown field": {mergePull, `{"method": "squash"}`, "/method: GitHub has no such field"},
		"with an unknown field deep down": {
			createRun, `{"name": "w", "head_sha": "a", "output": {"title": "t", "summary": "s", "footer": "f"}}`,
			"/output/footer: GitHub has no such field",
		},
		"with a body that GitHub does not read": {
			"POST /repos/acme/api/check-runs/1/rerequest", `{"name": "w"}`, "body: the operation takes none"},
		"without a body that GitHub needs": {createRun, "", "body: it is missing"},
		"with a body that is not JSON":     {createRun, "name=waybill", "body: invalid character"},
		"with an unknown state in the query": {
			"GET /repos/acme/api/pulls?state=opened", "", `parameter "state" in query`,
		},
		"with an unknown parameter": {
			"GET /repos/acme/api/pulls?status=open", "", "query: status: GitHub has no such parameter",
		},
		"with a word for a pull request's number": {"GET /repos/acme/api/pulls/seven", "", `parameter "pull_number" in path`},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.CheckRequest(request(test.request, test.body), []byte(test.body))
			require.ErrorContains(t, err, test.want)
			require.Equal(t, []Part{Request}, parts(t, err))
		})
	}
}

func TestAnAnswerThatGitHubWouldNotGiveIsAViolation(t *testing.T) {
	c := loaded(t)
	for name, test := range map[string]struct {
		request, body string
		status        int
		answer        string
		want          string
	}{
		"with a field of the wrong type": {
			getPull, "", 200, with(t, answer(t, getPull, 200), "number", "7"), "/number: value must be an integer",
		},
		"without a required field": {
			getPull, "", 200, with(t, answer(t, getPull, 200), "html_url", absent), `/html_url: property "html_url" is missing`,
		},
		"with an unknown field": {
			getPull, "", 200, with(t, answer(t, getPull, 200), "stage", "prod"), "/stage: GitHub has no such field",
		},
		"with null where GitHub has a value": {
			getPull, "", 200, with(t, answer(t, getPull, 200), "user", nil), "/user: Value is not nullable",
		},
		"with a status it does not use here": {
			createRun, newRun, 200, answer(t, createRun, 201), "status 200: GitHub documents only 201",
		},
		"that is not JSON": {getPull, "", 200, "OK", "body: invalid character"},
		"with a body where there is none": {
			"DELETE /repos/acme/api/git/refs/heads/x", "", 204, "{}", "status 204: it has a body",
		},
		"unchanged to one who did not ask": {getRepo, "", 304, "", "status 304: GitHub documents only"},
		"an error that says nothing":       {createRun, newRun, 403, `{}`, "/message: an error says what is wrong"},
		"an error of another status": {
			createRun, newRun, 403, `{"message": "no", "status": "404"}`, `/status: want "403", got 404`,
		},
		"an error with an unknown field": {
			createRun, newRun, 403, `{"message": "no", "reason": "policy"}`, "/reason: GitHub has no such field",
		},
		"invalid without documentation": {
			createRun, newRun, 422, `{"message": "Validation Failed"}`, `property "documentation_url" is missing`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.CheckExchange(exchange(t, test.request, test.body, test.status, test.answer))
			require.ErrorContains(t, err, test.want)
			require.Equal(t, []Part{Response}, parts(t, err))
		})
	}
}

func TestAnAnswerOfAnotherMediaTypeIsAViolation(t *testing.T) {
	x := exchange(t, getPull, "", 200, answer(t, getPull, 200))
	x.Header.Set("Content-Type", "text/plain")
	require.ErrorContains(t, loaded(t).CheckExchange(x), `content type "text/plain" is not JSON`)
}

func TestAnUnknownRouteIsAViolation(t *testing.T) {
	c := loaded(t)
	for _, unknown := range []string{
		"GET /repos/acme/api/promotions",
		"POST /repos/acme/api/pulls/7/merge",
		"GET /api/v3",
		"GET /graphql",
	} {
		err := c.CheckExchange(exchange(t, unknown, "", 200, "{}"))
		require.Error(t, err, unknown)
		require.Equal(t, []Part{Route}, parts(t, err), unknown)
	}
}

func TestEveryViolationOfAnExchangeIsReported(t *testing.T) {
	err := loaded(t).CheckExchange(exchange(t, createRun, `{"title": "w"}`, 200, "{}"))
	require.EqualError(t, err, strings.Join([]string{
		`POST /repos/{owner}/{repo}/check-runs: request: body: /name: property "name" is missing`,
		`POST /repos/{owner}/{repo}/check-runs: request: body: /head_sha: property "head_sha" is missing`,
		`POST /repos/{owner}/{repo}/check-runs: request: body: /title: GitHub has no such field`,
		`POST /repos/{owner}/{repo}/check-runs: response: status 200: GitHub documents only 201`,
	}, "\n"))
}

// request returns the request that "METHOD /path?query" describes.
func request(line, body string) *http.Request {
	method, target, _ := strings.Cut(line, " ")
	r := httptest.NewRequest(method, target, nil)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// exchange returns an exchange of JSON.
func exchange(t *testing.T, line, body string, status int, answer string) Exchange {
	t.Helper()
	return Exchange{
		Request:     request(line, body),
		RequestBody: []byte(body),
		Status:      status,
		Header:      http.Header{"Content-Type": {"application/json; charset=utf-8"}},
		Body:        []byte(answer),
	}
}

// answer returns a valid answer to the request that the line describes.
func answer(t *testing.T, line string, status int) string {
	t.Helper()
	r := request(line, "")
	filled, err := loaded(t).Fill(r.Method, r.URL.EscapedPath(), status, nil)
	require.NoError(t, err)
	return string(encode(t, filled))
}

// encode returns a value as JSON.
func encode(t testing.TB, value any) []byte {
	t.Helper()
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	return encoded
}

// absent asks with to leave a field out.
var absent = json.RawMessage(nil)

// with returns a JSON object with one field set differently.
func with(t *testing.T, object, name string, value any) string {
	t.Helper()
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(object), &fields))
	fields[name] = value
	if raw, ok := value.(json.RawMessage); ok && raw == nil {
		delete(fields, name)
	}
	return string(encode(t, fields))
}

// parts returns the parts of an exchange that violations blame, each once.
func parts(t *testing.T, err error) []Part {
	t.Helper()
	var violations Violations
	require.True(t, errors.As(err, &violations))
	var blamed []Part
	for _, v := range violations {
		if len(blamed) == 0 || blamed[len(blamed)-1] != v.Part {
			blamed = append(blamed, v.Part)
		}
	}
	return blamed
}
