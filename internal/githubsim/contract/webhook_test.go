package contract

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryFilledWebhookIsValid(t *testing.T) {
	c := loaded(t)
	for _, name := range c.Webhooks() {
		t.Run(name, func(t *testing.T) {
			event, action := splitWebhook(name)
			require.NoError(t, c.CheckWebhook(event, delivery(t, event, action, nil)))
		})
	}
}

func TestAFilledWebhookKeepsWhatIsStated(t *testing.T) {
	have := map[string]any{
		"check_run":    map[string]any{"id": 4, "name": "e2e", "output": map[string]any{"title": "red"}},
		"installation": map[string]any{"id": 9},
	}
	payload, err := loaded(t).FillWebhook("check_run", "completed", have)
	require.NoError(t, err)

	require.Equal(t, "completed", payload["action"])
	run := payload["check_run"].(map[string]any)
	require.Equal(t, "e2e", run["name"])
	require.Equal(t, json.Number("4"), run["id"])
	require.Contains(t, run, "head_sha")
	require.Equal(t, "red", run["output"].(map[string]any)["title"])
	require.Contains(t, run["output"], "annotations_url")
	require.Contains(t, payload["installation"], "node_id")
	require.NotContains(t, have, "action", "the stated payload is left alone")
	require.NotContains(t, have["check_run"], "head_sha")
}

func TestAWebhookThatGitHubWouldNotSendIsAViolation(t *testing.T) {
	c := loaded(t)
	run := map[string]any{"check_run": map[string]any{"verdict": "good"}}
	for name, test := range map[string]struct {
		event string
		body  []byte
		want  string
		blame Part
	}{
		"of no event": {"promotion", []byte(`{}`), `GitHub has no event "promotion"`, Route},
		"of no action": {
			"check_run", []byte(`{"action": "finished"}`),
			`event "check_run" has no action "finished", only completed, created, requested_action, rerequested`, Route,
		},
		"without its action": {"check_run", []byte(`{}`), `event "check_run" has no action ""`, Route},
		"that is not JSON":   {"push", []byte(`payload=%7B%7D`), "invalid character", Request},
		"without a required field": {
			"push", []byte(`{"ref": "refs/heads/main"}`), `/commits: property "commits" is missing`, Request,
		},
		"with a field of wrong type": {
			"push", delivery(t, "push", "", map[string]any{"forced": "no"}), "/forced: value must be a boolean", Request,
		},
		"with an unknown field": {
			"check_run", delivery(t, "check_run", "completed", run), "/check_run/verdict: GitHub has no such field", Request,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.CheckWebhook(test.event, test.body)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, []Part{test.blame}, parts(t, err))
		})
	}
}

func TestFillingAnUnknownWebhookFails(t *testing.T) {
	_, err := loaded(t).FillWebhook("push", "created", nil)
	require.ErrorContains(t, err, `event "push" has no action "created"`)
}

// The subset has the events and actions that Waybill handles.
func TestTheWebhooksThatABotConsumesAreThere(t *testing.T) {
	require.Subset(t, loaded(t).Webhooks(), []string{
		"push", "create", "delete", "status", "ping",
		"pull_request.opened", "pull_request.synchronize", "pull_request.closed", "pull_request.labeled",
		"pull_request.dequeued",
		"pull_request_review.submitted", "check_run.requested_action", "check_run.rerequested", "check_suite.requested",
		"deployment.created", "deployment_status.created", "installation.created", "installation.suspend",
		"installation_repositories.removed", "repository.renamed", "repository.transferred", "issue_comment.created",
		"label.created", "merge_group.checks_requested", "release.published", "registry_package.published",
		"package.published", "workflow_run.completed", "member.removed", "membership.removed",
	})
}

// delivery returns the body of a filled webhook.
func delivery(t *testing.T, event, action string, have map[string]any) []byte {
	t.Helper()
	payload, err := loaded(t).FillWebhook(event, action, have)
	require.NoError(t, err)
	return encode(t, payload)
}
