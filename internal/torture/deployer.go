package torture

import (
	"strings"

	"waybill/internal/githubsim"
)

// wantToDeploy has a job wait before a stage's environment.
func (d *Deployer) wantToDeploy(a Act) {
	s := d.checkout.pipeline.Stages[a.A%len(d.checkout.pipeline.Stages)]
	target := s.Places()[a.C%len(s.Places())]
	environment := s.Environment(target)
	ref := d.evidence.mergedInto(s.Name, target)
	if ref == "" {
		ref = s.AtOf(target).Branch
	}
	run, err := d.github.StartWorkflow(s.AtOf(target).Repo, "deploy", ref, "push", "ann")
	if err == nil {
		err = d.github.AskToDeploy(s.AtOf(target).Repo, run, strings.ToUpper(environment))
	}
	d.jobs.deploying = append(d.jobs.deploying, deploying{s.AtOf(target).Repo, run, s.Name, target, environment})
	d.log.note("  run %d wants to deploy into %s: %v", run, environment, err)
	d.log.told.prose("(run %d wants to deploy into %s)", run, environment)
}

// Deployer starts jobs that want to deploy into environments of stages.
type Deployer struct {
	checkout *Checkout
	evidence *Evidence
	github   *githubsim.Server
	jobs     *Jobs
	log      *Journal
}
