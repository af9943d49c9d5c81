package gh

import (
	"context"
	"fmt"
	"net/http"
)

// The answers to a job that waits before an environment. Undecided only reports why, and leaves it waiting.
const (
	Undecided = ""
	Approved  = "approved"
	Rejected  = "rejected"
)

// AnswerProtectionRule tells GitHub whether the jobs of a workflow run may deploy into an environment, and why. It is
// ErrRefused if GitHub does not take the answer, mostly because the job does not wait any more.
func (c *Client) AnswerProtectionRule(ctx context.Context, run int64, environment, state, comment string) error {
	path := fmt.Sprintf("repos/%s/%s/actions/runs/%d/deployment_protection_rule", c.owner, c.name, run)
	body := struct {
		Environment string `json:"environment_name"`
		State       string `json:"state,omitempty"`
		Comment     string `json:"comment"`
	}{environment, state, comment}
	request, err := c.rest.NewRequest(http.MethodPost, path, body)
	if err == nil {
		_, err = c.rest.Do(ctx, request, nil)
	}
	return c.wrong(classify(err), "answer run %d, which waits before %s", run, environment)
}
