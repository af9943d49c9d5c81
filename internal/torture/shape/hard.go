package shape

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// crowd gives a pipeline, one of eight, eight more stages whose files are all on one branch: each release goes to all
// of them at once, to some by direct commits. In some histories that branch wants pull requests to be up to date.
func (s *Shape) crowd(r *rand.Rand) {
	if r.IntN(8) > 0 {
		return
	}
	s.Current = !s.Queued && !s.Directs && r.IntN(2) == 0
	for i := range 8 {
		stage := DrawStage(r, fmt.Sprintf("s%d", i), nil)
		stage.From, stage.Merge = []string{"api"}, "auto"
		if !s.Queued && !s.Current && r.IntN(2) == 0 {
			stage.Direct, s.Directs = true, true
		}
		s.First.Stages = append(s.First.Stages, stage)
	}
}

// TakesHours reports whether the content of a history needs hours to be made: it is crowded, or GitHub takes little.
func (s *Shape) TakesHours() bool { return s.Content > 0 || len(s.First.Stages) > 8 }

// harden draws the GitHub of a bad day: in one history of six its servers do not see the newest writes, and in one of
// six it takes few pull requests and comments.
func (s *Shape) harden(r *rand.Rand) {
	if r.IntN(6) == 0 {
		s.Lag = 1 + r.IntN(4)
	}
	if r.IntN(6) == 0 {
		s.Content = 2 + r.IntN(8)
	}
}

// The profiles of GitHub that histories are played under, by the names that the simulator has for them.
const (
	Lagging  = "lagging"
	Limiting = "limiting"
	Noisy    = "noisy"
	Strict   = "strict"
	Failing  = "failing"
)

// spoil draws the profiles of GitHub: in five histories of twelve it has one of them, and in one of twelve several.
func (s *Shape) spoil(r *rand.Rand) {
	all := []string{Lagging, Limiting, Noisy, Strict, Failing}
	switch n := r.IntN(12); {
	case n == 0:
		for _, day := range all {
			if r.IntN(2) == 0 {
				s.Days = append(s.Days, day)
			}
		}
	case n < 6:
		s.Days = []string{all[r.IntN(len(all))]}
	}
	if s.Has(Limiting) && s.Content == 0 {
		s.Content = 2 + r.IntN(8)
	}
}

// Has reports whether GitHub has a profile.
func (s *Shape) Has(profile string) bool { return slices.Contains(s.Days, profile) }

// Behind reports whether servers of GitHub do not see the newest writes.
func (s *Shape) Behind() bool { return s.Lag > 0 || s.Has(Lagging) }

// burden draws the load of GitHub: in one history of eight it answers another installation slowly, and in one of eight
// it refuses queries about many things.
func (s *Shape) burden(r *rand.Rand) {
	if r.IntN(8) == 0 {
		s.Slow = []time.Duration{4 * time.Second, 12 * time.Second, 25 * time.Second}[r.IntN(3)]
	}
	if r.IntN(8) == 0 {
		s.Large = 1 + r.IntN(4)
	}
}
