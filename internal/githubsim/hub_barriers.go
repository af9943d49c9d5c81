package githubsim

import (
	"strings"
	"time"
)

// barrier is a custom deployment protection rule of the App under test before an environment that a job is to deploy into.
type barrier struct {
	environment string
	state       string // "": the job waits
	reports     []string
	asked       time.Time
}

// AskBarrier has a job wait before an environment until the App under test has answered.
func (ws *Workflows) AskBarrier(r *repository, run *workflowRun, environment string) {
	b := run.barrier(environment)
	if b == nil {
		b = &barrier{environment: environment}
		run.barriers = append(run.barriers, b)
	}
	b.state, b.reports, b.asked = "", nil, ws.clock.Now()
	ws.events.OfRepo(r, "deployment_protection_rule", "requested", run.actor, Asked{run, environment}, nil)
}

// barrier finds the one before an environment; nil if the run has none there.
func (run *workflowRun) barrier(environment string) *barrier {
	for _, b := range run.barriers {
		if strings.EqualFold(b.environment, environment) {
			return b
		}
	}
	return nil
}

// The limits of what an App reports there.
const (
	maxReport  = 1024
	maxReports = 10
)

// AnswerBarrier lets a job go on, turns it away, or only reports.
func (ws *Workflows) AnswerBarrier(run *workflowRun, environment, state, comment string) error {
	b := run.barrier(environment)
	switch {
	case b == nil:
		return notFound()
	case b.state != "":
		return invalid("The deployment has already been reviewed.")
	case state == "" && (comment == "" || len(b.reports) == maxReports), len([]rune(comment)) > maxReport:
		return invalid("The comment is missing, too long, or one too many.")
	}
	b.state = state
	if comment != "" {
		b.reports = append(b.reports, comment)
	}
	return nil
}
