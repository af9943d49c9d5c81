package torture

import (
	"math/rand/v2"
	"slices"

	"waybill/internal/torture/shape"
)

// instead is what happens where there is no merge queue, no Slack, no guarded stage, or none with targets.
var instead = map[Kind]Kind{Gate: Succeed, Slack: Comment, SlackFails: Request, Propose: PushFiles, Roll: Succeed, Targets: Configure, Drive: Comment, Work: Report}

// possible returns what happens of an act in this world.
func (c *Cast) possible(k Kind) Kind {
	there := map[Kind]bool{Gate: c.shape.Queued, Slack: c.chat != nil, SlackFails: c.chat != nil, Propose: c.shape.Guards, Roll: c.shape.Rolls, Targets: c.shape.Rolls, Drive: c.shape.Rolls, Work: len(c.checkout.pipeline.Starters()) > 0}
	if is, special := there[k]; special && !is {
		return instead[k]
	}
	if k == Succeed && c.shape.Rolls {
		return Roll
	}
	if slices.Contains([]Kind{Report, Deploy, Review, Meddle, Drift}, k) && len(c.checkout.pipeline.Starters()) > 0 {
		return Work // there is hardly anything else
	}
	return k
}

// act makes one thing happen. What is not possible now does not happen.
func (c *Cast) act(a Act) {
	switch k := c.possible(a.Kind); k {
	case MergeSource:
		c.developer.publish(a)
	case PullDone:
		c.maintainer.pullDone(a)
	case Meddle:
		c.maintainer.meddles = append(c.maintainer.meddles, a)
	case PushFiles:
		c.editor.pushFiles(a)
	case Drift:
		c.editor.drift(a)
	case Configure:
		c.editor.configure(a)
	case Comment:
		c.commander.comment(a)
	case Label:
		c.commander.label(a)
	case Press:
		c.commander.press(a)
	case Review:
		c.commander.review(a)
	case Remove:
		c.cleaner.remove(a)
	case Grant:
		c.commander.grant("ann", []string{"write", "read", "maintain"}[a.A%3])
	case Report:
		c.ci.report(a)
	case Succeed:
		c.ci.succeed(a)
	case Gate:
		c.maintainer.atGate(a)
	case Slack:
		c.slackUser.inSlack(a)
	case Propose:
		c.proposer.propose(a)
	case Deploy:
		c.deployer.wantToDeploy(a)
	case Work:
		c.workflows.atWork(a)
	case Roll:
		c.ci.goOn(a)
	case Targets:
		c.editor.changeTargets(a)
	case Drive:
		c.commander.drive(a)
	case Type:
		c.apiUser.typeCommand(a)
	case SlackFails:
		c.slackUser.slackTrouble(a)
	case Access:
		c.accidents.loseAccess(a)
	case Resync:
		c.accidents.tellFault(a, nil)
		c.machine.program.asked.awake = true
	default:
		c.accidents.fault(k, a)
	}
}

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
