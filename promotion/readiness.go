package promotion

import (
	"hash/fnv"
	"slices"
	"time"
)

// The conditions that a target must meet before it takes part in a rollout (`ready`, semantics 5.2). A target that does
// not meet them when the first step of its batch begins waits: it takes no part in this promotion, takes no place in
// its batch, never counts as failed, and catches up later (decide/catchup.go). Later changes of its state change
// nothing for the step. Where the state of a target is not known, nothing begins.

// KindEnvironment is the kind of a condition that an environment exists. No signal has it.
const KindEnvironment SignalKind = "environment"

// Condition is something that GitHub must show before a target takes part: that the newest report of a name is a
// success, or that an environment exists.
type Condition struct {
	Kind  SignalKind
	Name  string
	App   string // the GitHub App (slug) whose checks count; empty for others
	Files Branch // where it is looked for: the branch that holds the target's files; none: the stage's
}

// Met is the state of a condition that is met. Of one that nothing has been reported for the state is empty.
const Met = "success"

// Lacking is a condition that is not met, with the state in the newest report; empty: there is no report.
type Lacking struct {
	Condition
	State string
}

// Readiness has the answers of GitHub about the conditions of a stage's targets.
type Readiness struct {
	At time.Time // when it was asked last, and answered
	// of which conditions, as Stage.Conditions numbers them: others may have come into the pipeline file since
	Of    uint32
	Lacks []Lacking
	Asked int64 // how often GitHub has answered, this time included
	Tries int   // how often in a row the answer has been the same as the one before
	Stale bool  // something has been reported since that it does not hold
}

// Follows returns the answer as it comes behind the one before it, which may be nil.
func (r Readiness) Follows(before *Readiness) Readiness {
	r.Asked = 1
	if before == nil {
		return r
	}
	r.Asked += before.Asked
	if before.Of == r.Of && slices.Equal(before.Lacks, r.Lacks) {
		r.Tries = before.Tries + 1
	}
	return r
}

// Answers returns the answers of GitHub about the conditions of the stage at a time, given the states of those that
// have one.
func (s *Stage) Answers(states map[Condition]string, at time.Time) Readiness {
	all, number := s.Conditions()
	r := Readiness{At: at, Of: number}
	for _, c := range all {
		if states[c] != Met {
			r.Lacks = append(r.Lacks, Lacking{c, states[c]})
		}
	}
	return r
}

// Conditions returns the conditions of the stage's targets, each once, and a number for all of them together with the
// branches where they are looked for; 0 if there are none.
func (s *Stage) Conditions() (all []Condition, number uint32) {
	sum := fnv.New32a()
	sum.Write([]byte(s.Files.String() + "\n"))
	known := make(map[Condition]bool)
	for i := range s.Targets {
		for _, c := range s.Targets[i].Ready {
			if !known[c] {
				known[c] = true
				all = append(all, c)
				sum.Write([]byte(c.String() + "\n" + c.App + "\n" + c.Files.String() + "\n"))
			}
		}
	}
	if len(all) == 0 {
		return nil, 0
	}
	return all, sum.Sum32()
}

// Concerns reports whether a signal may change whether some target is ready.
func (s *Stage) Concerns(g *Signal) bool {
	return slices.ContainsFunc(s.Targets, func(t Target) bool {
		return slices.ContainsFunc(t.Ready, func(c Condition) bool {
			return c.Kind == g.Kind && c.Name == g.Name && (c.Kind != KindCheck || c.App == g.App)
		})
	})
}

// String names a condition.
func (c Condition) String() string { return string(c.Kind) + " " + c.Name }

// words returns the missing condition in words.
func (l Lacking) words() string {
	switch {
	case l.State != "":
		return l.String() + " is " + l.State
	case l.Kind == KindEnvironment:
		return l.String() + " does not exist"
	}
	return l.String() + " has not been reported"
}

// lacking returns the conditions that are not met.
func (r *Readiness) lacking() map[Condition]Lacking {
	if r == nil {
		return nil
	}
	all := make(map[Condition]Lacking, len(r.Lacks))
	for _, l := range r.Lacks {
		all[l.Condition] = l
	}
	return all
}
