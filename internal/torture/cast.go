package torture

import (
	"math/rand/v2"

	"waybill/internal/torture/shape"
)

// Cast is all who act in a history.
type Cast struct {
	chat     *chat
	checkout *Checkout
	machine  *Machine
	shape    shape.Shape

	accidents  *Accidents
	apiUser    *APIUser
	ci         *CI
	cleaner    *Cleaner
	commander  *Commander
	deployer   *Deployer
	developer  *Developer
	editor     *Editor
	maintainer *Maintainer
	monitor    *Monitor
	proposer   *Proposer
	slackUser  *SlackUser
	workflows  *Workflows
}

// newCast gathers all who act in a history.
func newCast(l *Ledger, random *rand.Rand, schedule *Schedule, machine *Machine) *Cast {
	c := &Cast{chat: l.chat, checkout: l.checkout, machine: machine, shape: l.shape}
	c.cleaner = &Cleaner{byHand: l.byHand, github: l.github, log: l.log, sources: l.sources}
	c.deployer = &Deployer{checkout: l.checkout, evidence: l.evidence, github: l.github, jobs: l.jobs, log: l.log}
	c.proposer = &Proposer{checkout: l.checkout, github: l.github, log: l.log, proposals: l.proposals, shape: l.shape}
	c.monitor = &Monitor{
		checkout: l.checkout, github: l.github, log: l.log, random: random, schedule: schedule, shape: l.shape, signals: l.signals,
	}
	c.editor = &Editor{
		byHand: l.byHand, checkout: l.checkout, gaps: l.gaps, github: l.github, log: l.log, random: random, remote: l.remote,
	}
	c.commander = &Commander{
		byHand: l.byHand, checkout: l.checkout, db: l.db, github: l.github, log: l.log, remote: l.remote, rollouts: l.rollouts,
		schedule: schedule, shape: l.shape, sources: l.sources,
	}
	c.slackUser = &SlackUser{acked: l.acked, chat: l.chat, commander: c.commander, log: l.log}
	c.apiUser = &APIUser{acked: l.acked, commander: c.commander, gaps: l.gaps, github: l.github, log: l.log, machine: machine}
	c.developer = &Developer{
		apiUser: c.apiUser, checkout: l.checkout, db: l.db, github: l.github, log: l.log, sources: l.sources,
	}
	c.workflows = &Workflows{
		checkout: l.checkout, commander: c.commander, developer: c.developer, gaps: l.gaps, github: l.github, log: l.log,
		remote: l.remote, schedule: schedule, signals: l.signals,
	}
	c.ci = &CI{
		checkout: l.checkout, commander: c.commander, editor: c.editor, evidence: l.evidence, github: l.github, log: l.log,
		monitor: c.monitor, random: random, remote: l.remote, schedule: schedule, signals: l.signals, sources: l.sources,
		workflows: c.workflows,
	}
	c.maintainer = &Maintainer{byHand: l.byHand, ci: c.ci, github: l.github, log: l.log, remote: l.remote}
	c.accidents = &Accidents{
		checkout: l.checkout, clock: l.clock, developer: c.developer, gaps: l.gaps, github: l.github, log: l.log, machine: machine,
		schedule: schedule,
	}
	return c
}
