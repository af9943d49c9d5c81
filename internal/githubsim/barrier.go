package githubsim

import (
	"net/http"
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

// The limits of what an App reports there.
const (
	maxReport  = 1024
	maxReports = 10
)

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

// answerBarrier lets a job go on, turns it away, or only reports.
func answerBarrier(c *call) (reply, error) {
	var in struct {
		Environment string `json:"environment_name"`
		State       string
		Comment     string
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	run, err := c.workflowRun()
	if err != nil {
		return reply{}, err
	}
	b := run.barrier(in.Environment)
	switch {
	case b == nil:
		return reply{}, notFound()
	case b.state != "":
		return reply{}, invalid("The deployment has already been reviewed.")
	case in.State == "" && (in.Comment == "" || len(b.reports) == maxReports), len([]rune(in.Comment)) > maxReport:
		return reply{}, invalid("The comment is missing, too long, or one too many.")
	}
	b.state = in.State
	if in.Comment != "" {
		b.reports = append(b.reports, in.Comment)
	}
	return reply{status: http.StatusNoContent}, nil
}

// Barrier is a job as a test looks at it that waits, or waited, before an environment.
type Barrier struct {
	State   string // approved, rejected, or empty: it waits
	Reports []string
}

// AskToDeploy has a job of a workflow run wait before an environment for the App under test.
func (s *Server) AskToDeploy(repo string, run int64, environment string) error {
	return s.onOwnRepo("ask to deploy in", repo, func(w *Hub, r *repository) error {
		for _, one := range r.workflowRuns {
			if one.id == run {
				w.Workflows.AskBarrier(r, one, environment)
				return nil
			}
		}
		return notFound()
	})
}

// Barrier returns what a job was told that waits before an environment.
func (s *Server) Barrier(repo string, run int64, environment string) (v Barrier) {
	s.read(repo, func(_ *Hub, r *repository) {
		for _, one := range r.workflowRuns {
			if b := one.barrier(environment); one.id == run && b != nil {
				v = Barrier{State: b.state, Reports: append([]string(nil), b.reports...)}
			}
		}
	})
	return v
}
