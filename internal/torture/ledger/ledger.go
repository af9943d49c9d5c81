package ledger

import (
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// Ledger holds the facts about a history that the invariants use.
type Ledger struct {
	Shape  shape.Shape
	GitHub *githubsim.Server
	Chat   *Chat                // nil without Slack
	Acked  map[string]time.Time // when webhooks were acknowledged, by GUID

	Log       *Journal
	Clock     *Clock
	DB        *Database
	ByHand    *ByHand
	Gaps      *Gaps
	Remote    *Remote
	Checkout  *Checkout
	Sources   *Sources
	Signals   *Signals
	Evidence  *Evidence
	Rollouts  *Rollouts
	Proposals *Proposals
	Jobs      *Jobs
	Intruders *Intruders
}

// New returns the ledger of a history without events.
func New(s shape.Shape, verbose bool) *Ledger {
	l := &Ledger{
		Shape: s, Acked: map[string]time.Time{}, Log: &Journal{Verbose: verbose}, Clock: &Clock{}, Gaps: &Gaps{},
		Jobs: &Jobs{}, Intruders: &Intruders{Theirs: map[int]githubsim.Pull{}},
		ByHand: &ByHand{
			Touched: map[string]int{}, Handled: map[string]time.Time{}, Pushed: map[string]bool{}, Asked: map[string]bool{},
			Removals: map[string]int{}, Reruns: map[string]int{},
		},
	}
	l.DB = &Database{Clock: l.Clock, Log: l.Log, Numbered: map[int64]string{}, shown: map[stepOf]int{},
		behind: map[stepOf][]string{}}
	return l
}

// Know connects the ledger to the simulated GitHub and Slack of the history.
func (l *Ledger) Know(github *githubsim.Server, chat *Chat) {
	l.GitHub, l.Chat = github, chat
	l.Sources = &Sources{db: l.DB, Images: map[string]bool{}}
	l.Signals = &Signals{clock: l.Clock, github: github, shown: map[string][]shown{}}
	l.Remote = &Remote{byHand: l.ByHand, github: github, log: l.Log, shape: l.Shape, commits: map[string][]string{},
		entered: map[string]bool{}}
	l.Proposals = &Proposals{github: github, remote: l.Remote, touched: map[string][]string{},
		authors: map[string][]string{}, of: map[int][]string{}}
	l.Checkout = &Checkout{
		byHand: l.ByHand, db: l.DB, github: github, log: l.Log, shape: l.Shape, Pipeline: l.Shape.First,
		ups: map[string]*shape.Pipeline{}, People: map[string]string{"ann": "write", "bob": "maintain", "eve": "read"},
	}
	l.Evidence = &Evidence{clock: l.Clock, db: l.DB, github: github, remote: l.Remote, signals: l.Signals}
	l.Rollouts = &Rollouts{
		byHand: l.ByHand, checkout: l.Checkout, db: l.DB, evidence: l.Evidence, github: github, log: l.Log, remote: l.Remote,
		signals: l.Signals, sources: l.Sources, Rollouts: map[int64]*Rollout{}, spares: map[string][]string{},
	}
}
