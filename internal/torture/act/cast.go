package act

import (
	"math/rand/v2"

	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// Cast is the set of actors of a history.
type Cast struct {
	chat     *ledger.Chat
	checkout *ledger.Checkout
	shape    shape.Shape

	Accidents  *Accidents
	APIUser    *APIUser
	CI         *CI
	cleaner    *Cleaner
	Commander  *Commander
	deployer   *Deployer
	forger     *Forger
	Developer  *Developer
	Editor     *Editor
	intruder   *Intruder
	Maintainer *Maintainer
	Monitor    *Monitor
	proposer   *Proposer
	slackUser  *SlackUser
	Workflows  *Workflows
}

// Gather creates the actors of a history.
func Gather(l *ledger.Ledger, random *rand.Rand, program Program) *Cast {
	c := &Cast{chat: l.Chat, checkout: l.Checkout, shape: l.Shape}
	c.cleaner = &Cleaner{byHand: l.ByHand, github: l.GitHub, log: l.Log, sources: l.Sources}
	c.deployer = &Deployer{checkout: l.Checkout, evidence: l.Evidence, github: l.GitHub, jobs: l.Jobs, log: l.Log}
	c.proposer = &Proposer{checkout: l.Checkout, github: l.GitHub, log: l.Log, proposals: l.Proposals, shape: l.Shape}
	c.Monitor = &Monitor{
		checkout: l.Checkout, github: l.GitHub, log: l.Log, random: random, program: program, shape: l.Shape,
		signals: l.Signals,
	}
	c.Editor = &Editor{
		byHand: l.ByHand, checkout: l.Checkout, gaps: l.Gaps, github: l.GitHub, log: l.Log, random: random, remote: l.Remote,
	}
	c.Commander = &Commander{
		byHand: l.ByHand, checkout: l.Checkout, db: l.DB, github: l.GitHub, log: l.Log, remote: l.Remote,
		rollouts: l.Rollouts,
		program:  program, shape: l.Shape, sources: l.Sources,
	}
	c.slackUser = &SlackUser{acked: l.Acked, chat: l.Chat, commander: c.Commander, log: l.Log}
	c.APIUser = &APIUser{acked: l.Acked, commander: c.Commander, gaps: l.Gaps, github: l.GitHub, log: l.Log,
		program: program}
	c.Developer = &Developer{
		apiUser: c.APIUser, checkout: l.Checkout, db: l.DB, github: l.GitHub, log: l.Log, sources: l.Sources,
	}
	c.Workflows = &Workflows{
		checkout: l.Checkout, commander: c.Commander, developer: c.Developer, gaps: l.Gaps, github: l.GitHub, log: l.Log,
		remote: l.Remote, program: program, signals: l.Signals,
	}
	c.CI = &CI{
		checkout: l.Checkout, commander: c.Commander, editor: c.Editor, evidence: l.Evidence, github: l.GitHub, log: l.Log,
		monitor: c.Monitor, random: random, remote: l.Remote, program: program, signals: l.Signals, sources: l.Sources,
		workflows: c.Workflows,
	}
	c.intruder = &Intruder{
		apiUser: c.APIUser, byHand: l.ByHand,
		checkout: l.Checkout, commander: c.Commander, github: l.GitHub, log: l.Log, intruders: l.Intruders,
		program: program, proposals: l.Proposals, proposer: c.proposer, remote: l.Remote, shape: l.Shape,
	}
	c.forger = &Forger{
		checkout: l.Checkout, commander: c.Commander, developer: c.Developer, github: l.GitHub, log: l.Log,
		program: program, remote: l.Remote, shape: l.Shape,
	}
	c.Maintainer = &Maintainer{byHand: l.ByHand, ci: c.CI, github: l.GitHub, log: l.Log, remote: l.Remote}
	c.Accidents = &Accidents{
		checkout: l.Checkout, clock: l.Clock, developer: c.Developer, gaps: l.Gaps, github: l.GitHub, log: l.Log,
		program: program,
	}
	return c
}
