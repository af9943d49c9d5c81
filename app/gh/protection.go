package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/rs/zerolog"
)

// The answers to a job that waits before an environment. Undecided only reports why, and leaves it waiting.
const (
	Undecided = ""
	Approved  = "approved"
	Rejected  = "rejected"
)

// AnswerProtectionRule tells GitHub whether the jobs of a workflow run may deploy into an environment, and why. It is
// no error that GitHub refuses the answer for good, mostly because the job does not wait any more: it was answered
// before, cancelled, or let through by a person. Where the App has no access it is ErrNoAccess.
func (wf Workflows) AnswerProtectionRule(ctx context.Context, run int64, environment, state, comment string) error {
	path := fmt.Sprintf("repos/%s/%s/actions/runs/%d/deployment_protection_rule", wf.c.owner, wf.c.name, run)
	body := struct {
		Environment string `json:"environment_name"`
		State       string `json:"state,omitempty"`
		Comment     string `json:"comment"`
	}{environment, state, comment}
	request, err := wf.c.rest.NewRequest(http.MethodPost, path, body)
	if err == nil {
		_, err = wf.c.rest.Do(ctx, request, nil)
	}
	err = wf.c.Missing(ctx, wf.c.wrong(classify(err), "answer run %d, which waits before %s", run, environment))
	if RefusesThis(err) && !errors.Is(err, ErrPassing) {
		zerolog.Ctx(ctx).Warn().Err(err).
			Msg("GitHub does not take the answer to a job; it may not wait any more, or the App may not write deployments")
		return nil
	}
	return err
}
