package torture

import (
	"math/rand/v2"

	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// Cast is all who act in a history.
type Cast struct {
	chat     *ledger.Chat
	checkout *ledger.Checkout
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
func newCast(l *ledger.Ledger, random *rand.Rand, schedule *Schedule, machine *Machine) *Cast {
	c := &Cast{chat: l.Chat, checkout: l.Checkout, machine: machine, shape: l.Shape}
	c.cleaner = &Cleaner{byHand: l.ByHand, github: l.GitHub, log: l.Log, sources: l.Sources}
	c.deployer = &Deployer{checkout: l.Checkout, evidence: l.Evidence, github: l.GitHub, jobs: l.Jobs, log: l.Log}
	c.proposer = &Proposer{checkout: l.Checkout, github: l.GitHub, log: l.Log, proposals: l.Proposals, shape: l.Shape}
	c.monitor = &Monitor{
		checkout: l.Checkout, github: l.GitHub, log: l.Log, random: random, schedule: schedule, shape: l.Shape, signals: l.Signals,
	}
	c.editor = &Editor{
		byHand: l.ByHand, checkout: l.Checkout, gaps: l.Gaps, github: l.GitHub, log: l.Log, random: random, remote: l.Remote,
	}
	c.commander = &Commander{
		byHand: l.ByHand, checkout: l.Checkout, db: l.DB, github: l.GitHub, log: l.Log, remote: l.Remote, rollouts: l.Rollouts,
		schedule: schedule, shape: l.Shape, sources: l.Sources,
	}
	c.slackUser = &SlackUser{acked: l.Acked, chat: l.Chat, commander: c.commander, log: l.Log}
	c.apiUser = &APIUser{acked: l.Acked, commander: c.commander, gaps: l.Gaps, github: l.GitHub, log: l.Log, machine: machine}
	c.developer = &Developer{
		apiUser: c.apiUser, checkout: l.Checkout, db: l.DB, github: l.GitHub, log: l.Log, sources: l.Sources,
	}
	c.workflows = &Workflows{
		checkout: l.Checkout, commander: c.commander, developer: c.developer, gaps: l.Gaps, github: l.GitHub, log: l.Log,
		remote: l.Remote, schedule: schedule, signals: l.Signals,
	}
	c.ci = &CI{
		checkout: l.Checkout, commander: c.commander, editor: c.editor, evidence: l.Evidence, github: l.GitHub, log: l.Log,
		monitor: c.monitor, random: random, remote: l.Remote, schedule: schedule, signals: l.Signals, sources: l.Sources,
		workflows: c.workflows,
	}
	c.maintainer = &Maintainer{byHand: l.ByHand, ci: c.ci, github: l.GitHub, log: l.Log, remote: l.Remote}
	c.accidents = &Accidents{
		checkout: l.Checkout, clock: l.Clock, developer: c.developer, gaps: l.Gaps, github: l.GitHub, log: l.Log, machine: machine,
		schedule: schedule,
	}
	return c
}
