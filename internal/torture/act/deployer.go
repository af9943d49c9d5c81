package act

import (
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
)

// Deployer starts jobs that ask to deploy into environments of stages.
type Deployer struct {
	checkout *ledger.Checkout
	evidence *ledger.Evidence
	github   *githubsim.Server
	jobs     *ledger.Jobs
	log      *ledger.Journal
}

// wantToDeploy has a job wait for a stage's environment.
func (d *Deployer) wantToDeploy(a plan.Act) {
	s := d.checkout.Pipeline.Stages[a.A%len(d.checkout.Pipeline.Stages)]
	target := s.Places()[a.C%len(s.Places())]
	environment := s.Environment(target)
	ref := d.evidence.MergedInto(s.Name, target)
	if ref == "" {
		ref = s.AtOf(target).Branch
	}
	run, err := d.github.StartWorkflow(s.AtOf(target).Repo, "deploy", ref, "push", "ann")
	if err == nil {
		err = d.github.AskToDeploy(s.AtOf(target).Repo, run, strings.ToUpper(environment))
	}
	d.jobs.Deploying = append(d.jobs.Deploying, ledger.Deploying{
		Repo: s.AtOf(target).Repo, Run: run, Stage: s.Name, Target: target, Environment: environment,
	})
	d.log.Note("  run %d wants to deploy into %s: %v", run, environment, err)
	d.log.Told.Prose("(run %d wants to deploy into %s)", run, environment)
}
