package torture

import (
	"slices"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// deploying is a job that waits before a stage's environment, or has waited there.
type deploying struct {
	repo                       string
	run                        int64
	stage, target, environment string
}

// headsOf remembers the commit that a proposal stands at.
func (l *Proposals) headsOf(number int) {
	if p, found := l.github.Pull(shape.Home, number); found && !slices.Contains(l.proposals, p.HeadSHA) {
		l.proposals = append(l.proposals, p.HeadSHA)
	}
}

// Proposals are the pull requests of people that change files of stages, or do not.
type Proposals struct {
	github *githubsim.Server

	proposed  []int            // those that were open for a while
	changes   map[int][]string // the files that they change
	proposals []string         // the commits that they have stood at
}

// Jobs are those that want to deploy into environments of stages.
type Jobs struct {
	deploying []deploying
}
