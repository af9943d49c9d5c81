package hub

import (
	"strings"
	"time"
)

// DeploymentRule is a custom deployment protection rule of the App under test for an environment of a job.
type DeploymentRule struct {
	environment string
	State       string // "": the job waits
	Reports     []string
	asked       time.Time
}

// AskDeploymentRule makes a job wait before an environment until the App under test has answered.
func (ws *Workflows) AskDeploymentRule(r *Repository, run *WorkflowRun, environment string) {
	b := run.DeploymentRule(environment)
	if b == nil {
		b = &DeploymentRule{environment: environment}
		run.deploymentRules = append(run.deploymentRules, b)
	}
	b.State, b.Reports, b.asked = "", nil, ws.clock.Now()
	ws.events.OfRepo(r, "deployment_protection_rule", "requested", run.Actor, Asked{run, environment}, nil)
}

// DeploymentRule returns the rule for an environment, or nil if the run has none.
func (run *WorkflowRun) DeploymentRule(environment string) *DeploymentRule {
	for _, b := range run.deploymentRules {
		if strings.EqualFold(b.environment, environment) {
			return b
		}
	}
	return nil
}

// The limits of an App's reports on a rule.
const (
	maxReport  = 1024
	maxReports = 10
)

// AnswerDeploymentRule approves a job, rejects it, or only reports.
func (ws *Workflows) AnswerDeploymentRule(run *WorkflowRun, environment, state, comment string) error {
	b := run.DeploymentRule(environment)
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
