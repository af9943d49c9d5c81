package hub

import (
	"strings"
	"time"
)

// barrier is a custom deployment protection rule of the App under test before an environment that a job is to deploy
// into.
type barrier struct {
	environment string
	State       string // "": the job waits
	Reports     []string
	asked       time.Time
}

// AskBarrier has a job wait before an environment until the App under test has answered.
func (ws *Workflows) AskBarrier(r *Repository, run *WorkflowRun, environment string) {
	b := run.Barrier(environment)
	if b == nil {
		b = &barrier{environment: environment}
		run.barriers = append(run.barriers, b)
	}
	b.State, b.Reports, b.asked = "", nil, ws.clock.Now()
	ws.events.OfRepo(r, "deployment_protection_rule", "requested", run.Actor, Asked{run, environment}, nil)
}

// Barrier finds the one before an environment; nil if the run has none there.
func (run *WorkflowRun) Barrier(environment string) *barrier {
	for _, b := range run.barriers {
		if strings.EqualFold(b.environment, environment) {
			return b
		}
	}
	return nil
}

// The limits of the reports of an App there.
const (
	maxReport  = 1024
	maxReports = 10
)

// AnswerBarrier lets a job go on, turns it away, or only reports.
func (ws *Workflows) AnswerBarrier(run *WorkflowRun, environment, state, comment string) error {
	b := run.Barrier(environment)
	switch {
	case b == nil:
		return NotFound()
	case b.State != "":
		return Invalid("The deployment has already been reviewed.")
	case state == "" && (comment == "" || len(b.Reports) == maxReports), len([]rune(comment)) > maxReport:
		return Invalid("The comment is missing, too long, or one too many.")
	}
	b.State = state
	if comment != "" {
		b.Reports = append(b.Reports, comment)
	}
	return nil
}
