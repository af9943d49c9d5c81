package torture

import (
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// Ledger is all that is known of a history.
type Ledger struct {
	shape  shape.Shape
	github *githubsim.Server
	chat   *chat                // nil: there is no Slack
	acked  map[string]time.Time // when webhooks were acknowledged, by GUID

	log       *Journal
	clock     *Clock
	db        *Database
	byHand    *ByHand
	gaps      *Gaps
	remote    *Remote
	checkout  *Checkout
	sources   *Sources
	signals   *Signals
	evidence  *Evidence
	rollouts  *Rollouts
	proposals *Proposals
	jobs      *Jobs
}

// newLedger makes the ledger of a history in which nothing has happened.
func newLedger(s shape.Shape, verbose bool) *Ledger {
	l := &Ledger{
		shape: s, acked: map[string]time.Time{}, log: &Journal{verbose: verbose}, clock: &Clock{}, gaps: &Gaps{}, jobs: &Jobs{},
		byHand: &ByHand{
			touched: map[string]int{}, handled: map[string]time.Time{}, pushed: map[string]bool{}, asked: map[string]bool{},
			removals: map[string]int{},
		},
	}
	l.db = &Database{clock: l.clock, log: l.log}
	return l
}

// know begins to take note of what happens at GitHub.
func (l *Ledger) know(github *githubsim.Server, chat *chat) {
	l.github, l.chat = github, chat
	l.sources = &Sources{db: l.db, images: map[string]bool{}}
	l.signals = &Signals{clock: l.clock, shown: map[string][]shown{}}
	l.proposals = &Proposals{github: github, changes: map[int][]string{}}
	l.remote = &Remote{byHand: l.byHand, github: github, log: l.log, shape: l.shape, commits: map[string][]string{}}
	l.checkout = &Checkout{
		byHand: l.byHand, db: l.db, github: github, log: l.log, shape: l.shape, pipeline: l.shape.First,
		ups: map[string]*shape.Pipeline{}, people: map[string]string{"ann": "write", "bob": "maintain", "eve": "read"},
	}
	l.evidence = &Evidence{clock: l.clock, db: l.db, github: github, remote: l.remote, signals: l.signals}
	l.rollouts = &Rollouts{
		byHand: l.byHand, checkout: l.checkout, db: l.db, evidence: l.evidence, github: github, log: l.log, remote: l.remote,
		signals: l.signals, sources: l.sources, rollouts: map[int64]*rollout{},
	}
}
