package ledger

import (
	"slices"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// Proposals are the pull requests of people. Some change files of stages.
type Proposals struct {
	github *githubsim.Server

	Proposed  []int            // those that were open for a while
	Changes   map[int][]string // the files that they change
	Proposals []string         // their head commits so far
}

// Jobs are the jobs that deploy into environments of stages.
type Jobs struct {
	Deploying []Deploying
}

// Deploying is a job that waits before a stage's environment, or has waited there.
type Deploying struct {
	Repo                       string
	Run                        int64
	Stage, Target, Environment string
}

// HeadsOf remembers the head commit of a proposal.
func (l *Proposals) HeadsOf(number int) {
	if p, found := l.github.Pull(shape.Home, number); found && !slices.Contains(l.Proposals, p.HeadSHA) {
		l.Proposals = append(l.Proposals, p.HeadSHA)
	}
}
