package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// load returns the contract or fails the test.
func loaded(t *testing.T) *Contract {
	t.Helper()
	c, err := Load()
	require.NoError(t, err)
	return c
}

func TestTheFilledAnswerOfEveryOperationIsValid(t *testing.T) {
	c := loaded(t)
	filled := 0
	for _, r := range c.routes {
		for status, response := range r.spec.Responses.Map() {
			code, err := strconv.Atoi(status)
			require.NoError(t, err)
			if code >= 300 || response.Value.Content.Get("application/json") == nil {
				continue
			}
			filled++
			t.Run(fmt.Sprintf("%s %s %s", r.method, r.template, status), func(t *testing.T) {
				var answer any
				if elementSchema(response.Value.Content.Get("application/json").Schema.Value) != nil {
					answer, err = c.FillList(r.method, r.template, code, []map[string]any{{}})
				} else {
					answer, err = c.Fill(r.method, r.template, code, nil)
				}
				require.NoError(t, err)
				body, err := json.Marshal(answer)
				require.NoError(t, err)
				f := &findings{operation: r.method + " " + r.template}
				c.checkResponse(f, &r, Exchange{Status: code, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, Body: body})
				require.NoError(t, f.err(), "%s", body)
			})
		}
	}
	t.Log(filled)
}

func TestEveryFilledWebhookIsValid(t *testing.T) {
	c := loaded(t)
	for _, name := range c.Webhooks() {
		t.Run(name, func(t *testing.T) {
			event, action, _ := strings.Cut(name, ".")
			payload, err := c.FillWebhook(event, action, nil)
			require.NoError(t, err)
			body, err := json.Marshal(payload)
			require.NoError(t, err)
			require.NoError(t, c.CheckWebhook(event, body), "%s", body)
		})
	}
}
