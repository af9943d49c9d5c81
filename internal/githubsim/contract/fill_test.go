package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

// Every JSON answer of the subset, errors included, must be valid. There are no exceptions.
func TestEveryFilledAnswerIsValid(t *testing.T) {
	c := loaded(t)
	filled := 0
	for _, r := range c.routes {
		for status, response := range r.spec.Responses.Map() {
			content := response.Value.Content.Get("application/json")
			if content == nil {
				continue
			}
			filled++
			t.Run(fmt.Sprintf("%s %s %s", r.method, r.template, status), func(t *testing.T) {
				code, err := strconv.Atoi(status)
				require.NoError(t, err)
				f := &findings{operation: r.method + " " + r.template}
				c.checkResponse(f, &r, Exchange{
					Request: httptest.NewRequest(r.method, "/", nil),
					Status:  code,
					Header: http.Header{
						"Content-Type": {"application/json; charset=utf-8"}, "Location": {"https://api.github.com/"},
					},
					Body: filledAnswer(t, c, &r, content.Schema.Value, code),
				})
				require.NoError(t, f.err())
			})
		}
	}
	require.Greater(t, filled, 300)
}

// filledAnswer fills an object, or a list of one object, with the fewest given fields: an error and a redirect need a
// message.
func filledAnswer(t *testing.T, c *Contract, r *route, schema *openapi3.Schema, status int) []byte {
	t.Helper()
	have := map[string]any{}
	if status >= http.StatusMultipleChoices {
		have["message"] = "no"
	}
	var answer any
	var err error
	if elementSchema(schema) != nil {
		answer, err = c.FillList(r.method, r.template, status, []map[string]any{have})
	} else {
		answer, err = c.Fill(r.method, r.template, status, have)
	}
	require.NoError(t, err)
	return encode(t, answer)
}

func TestFillKeepsWhatIsStatedAndAddsTheRest(t *testing.T) {
	merged := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	have := map[string]any{
		"number":    7,
		"id":        int64(1) << 60,
		"merged_at": merged,
		"head":      map[string]any{"ref": "waybill/prod"},
		"labels":    []map[string]any{{"name": "stage:prod"}, {"name": "hotfix"}},
		"assignee":  nil,
		"user":      map[string]any{"login": "mona"},
	}
	pull, err := loaded(t).Fill("GET", "/repos/acme/api/pulls/7", 200, have)
	require.NoError(t, err)

	require.Equal(t, json.Number("7"), pull["number"])
	require.Equal(t, json.Number("1152921504606846976"), pull["id"], "large ids stay exact")
	require.Equal(t, "2026-03-01T12:00:00Z", pull["merged_at"])
	require.Equal(t, "waybill/prod", pull["head"].(map[string]any)["ref"])
	require.Contains(t, pull["head"].(map[string]any)["repo"], "full_name", "nested objects are completed")
	require.Equal(t, "hotfix", pull["labels"].([]any)[1].(map[string]any)["name"])
	require.Contains(t, pull["labels"].([]any)[1], "color", "and so are the elements of lists")
	require.Nil(t, pull["assignee"])
	require.Equal(t, "mona", pull["user"].(map[string]any)["login"])
	require.Nil(t, pull["mergeable"], "what may be null is null")
	require.Equal(t, "https://github.invalid/html_url", pull["html_url"])
	require.Equal(t, "2020-01-01T00:00:00Z", pull["created_at"])
	require.Equal(t, "open", pull["state"])
	require.Len(t, have["head"], 1, "the stated object is left alone")
}

func TestFillPicksTheAlternativeThatKnowsWhatIsStated(t *testing.T) {
	c := loaded(t)
	const path = "/repos/acme/api/contents/deploy"
	file, err := c.Fill("GET", path, 200, map[string]any{"type": "file", "encoding": "base64", "content": "aGk="})
	require.NoError(t, err)
	require.Contains(t, file, "_links")
	require.NotContains(t, file, "submodule_git_url")

	link, err := c.Fill("GET", path, 200, map[string]any{"type": "symlink", "target": "../base"})
	require.NoError(t, err)
	require.NotContains(t, link, "content")

	folder, err := c.FillList("GET", path, 200, []map[string]any{{"type": "file", "name": "app.yaml"}})
	require.NoError(t, err)
	require.Equal(t, "app.yaml", folder[0]["name"])
	require.Contains(t, folder[0], "download_url")

	robot, err := c.Fill("GET", "/users/waybill", 200, map[string]any{"login": "waybill", "user_view_type": "public"})
	require.NoError(t, err)
	require.NotContains(t, robot, "two_factor_authentication")
}

func TestFillKnowsTheErrorsThatAnOperationDoesNotDescribe(t *testing.T) {
	c := loaded(t)
	no := map[string]any{"message": "no"}
	invalid, err := c.Fill("POST", "/repos/acme/api/check-runs", 422, no)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"message": "no", "documentation_url": "https://github.invalid/documentation_url"},
		invalid)

	conflict, err := c.Fill("POST", "/repos/acme/api/merges", 409, no)
	require.NoError(t, err, "described, but without a body")
	require.Equal(t, no, conflict)

	_, err = c.Fill("POST", "/repos/acme/api/check-runs", 418, no)
	require.ErrorContains(t, err, "GitHub documents only status 201, not 418")
}

func TestFillListOfNothingIsAnEmptyArray(t *testing.T) {
	pulls, err := loaded(t).FillList("GET", "/repos/acme/api/pulls", 200, nil)
	require.NoError(t, err)
	require.Equal(t, []map[string]any{}, pulls)
}

func TestFillIsDeterministic(t *testing.T) {
	c := loaded(t)
	first, err := c.Fill("GET", "/repos/acme/api", 200, nil)
	require.NoError(t, err)
	for range 20 {
		again, err := c.Fill("GET", "/repos/acme/api", 200, nil)
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}

func TestFillRefusesWhatGitHubDoesNotAnswer(t *testing.T) {
	c := loaded(t)
	for want, fill := range map[string]func() error{
		"GitHub has no such operation": func() error {
			_, err := c.Fill("GET", "/promotions", 200, nil)
			return err
		},
		"GitHub documents only status 201, not 200": func() error {
			_, err := c.Fill("POST", "/repos/acme/api/check-runs", 200, nil)
			return err
		},
		"is not JSON": func() error {
			_, err := c.Fill("DELETE", "/repos/acme/api/git/refs/heads/x", 204, nil)
			return err
		},
		"the answer is no array": func() error {
			_, err := c.FillList("GET", "/repos/acme/api", 200, nil)
			return err
		},
		"encode": func() error {
			_, err := c.Fill("GET", "/repos/acme/api", 200, map[string]any{"id": func() {}})
			return err
		},
	} {
		require.ErrorContains(t, fill(), want)
	}
}

// splitWebhook returns event and action of an entry of Webhooks.
func splitWebhook(name string) (event, action string) {
	event, action, _ = strings.Cut(name, ".")
	return event, action
}

func BenchmarkFillPull(b *testing.B) {
	c, err := Load()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Fill("GET", "/repos/acme/api/pulls/7", 200, map[string]any{"number": 7}); err != nil {
			b.Fatal(err)
		}
	}
}
