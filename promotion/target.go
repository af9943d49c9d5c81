package promotion

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// TargetName is the name of a target, unique in its stage.
type TargetName string

// Target is one of the places that a stage consists of: a cluster, a region. A stage that is one place has one target,
// without a name.
type Target struct {
	Name    TargetName
	Files   Branch      // that holds its files; none: the stage's
	Changes []Change    // the files that promotions rewrite
	Copies  []Copy      // the folders that they copy
	Verify  []Matcher   // the signals that verify freight there
	Ready   []Condition // the conditions that it must meet before it takes part
	// Environment is the environment on GitHub where a promotion to this target is a deployment, and EnvironmentURL its
	// address; empty: none.
	Environment, EnvironmentURL string
}

// Strategy says how promotions go through the targets of a stage (semantics 5).
type Strategy struct {
	Batches     []Batch // in which targets are updated; every target is in exactly one
	BackAtOnce  int     // how many targets a rollback takes at once, whatever the batches say; 0: as the batches say
	MaxFailures int     // how many targets may fail before Beyond applies
	Beyond      BeyondMode
	// Undoes says that a stage that is one place goes back by itself when its freight fails (on-failure: rollback).
	Undoes        bool
	PerTarget     bool // each target has a pull request of its own; else those that are updated at once share one
	External      bool // nothing starts by itself: people or programs promote one target after the other
	OneDeployment bool // a promotion is one deployment, in the environment of all targets; else one for each
}

// Batch is a number of targets that are updated one step after the other. Every target of a stage is in exactly one.
type Batch struct {
	Name    string
	Targets []TargetName  // in the order in which they are updated
	AtOnce  int           // how many of them may be updated and not yet verified at a time, at least 1
	Wait    time.Duration // after it, before the next one begins
	// Approvals is how many people must at least sign off the first pull request of the batch. The first pull request of a
	// rollout needs the larger of this and StagePolicy.Approvals.
	Approvals int
}

// BeyondMode says what happens to a rollout in which more targets have failed than may.
type BeyondMode string

// BeyondPauses ends the rollout, leaves the targets that are still to come as they are and holds the stage.
// BeyondRollsBack ends it and returns the updated targets to their earlier freight. BeyondContinues goes on to the end.
const (
	BeyondPauses    BeyondMode = "pause"
	BeyondRollsBack BeyondMode = "rollback"
	BeyondContinues BeyondMode = "continue"
)

// OnePlace makes a stage consist of one target without a name, and returns it.
func OnePlace(s *Stage, t Target) *Stage {
	t.Name = ""
	s.Targets, s.Strategy.Batches = []Target{t}, []Batch{{Targets: []TargetName{""}, AtOnce: 1}}
	s.Strategy.OneDeployment, s.Strategy.Beyond = true, BeyondContinues // there is nothing else that a failure could stop
	return s
}

// SignsOff reports whether people must sign promotions of the stage off, or those of one of its batches.
func (s *Stage) SignsOff() bool {
	return s.Policy.Approvals > 0 ||
		slices.ContainsFunc(s.Strategy.Batches, func(b Batch) bool { return b.Approvals > 0 })
}

// Rolls reports whether the pipeline file names targets, which promotions into the stage go through batch by batch.
func (s *Stage) Rolls() bool { return len(s.Targets) > 0 && s.Targets[0].Name != "" }

// Changes returns the files that promotions into the stage rewrite, each once.
func (s *Stage) Changes() []Change {
	if len(s.Targets) == 1 {
		return s.Targets[0].Changes
	}
	results := make([][]Change, len(s.Targets))
	for i := range s.Targets {
		results[i] = s.Targets[i].Changes
	}
	return join(results...)
}

// Copies returns the folders that promotions into the stage copy.
func (s *Stage) Copies() (all []Copy) {
	for i := range s.Targets {
		all = append(all, s.Targets[i].Copies...)
	}
	return all
}

// Verify returns the matchers of all targets.
func (s *Stage) Verify() (all []Matcher) {
	for i := range s.Targets {
		all = append(all, s.Targets[i].Verify...)
	}
	return all
}

// IsVerifiedBy reports whether the stage has a matcher with that pattern.
func (s *Stage) IsVerifiedBy(pattern string) bool {
	return slices.ContainsFunc(s.Targets, func(t Target) bool {
		return slices.ContainsFunc(t.Verify, func(m Matcher) bool { return m.Pattern == pattern })
	})
}

// Touches reports whether path is one of the files that promotions into the stage write.
func (s *Stage) Touches(path string) bool {
	return slices.ContainsFunc(s.Targets, func(t Target) bool { return t.Touches(path) })
}

// Reads reports whether path is one of the files that promotions into the stage depend on: those that they write, and
// the workflow that they start.
func (s *Stage) Reads(path string) bool {
	return s.Touches(path) || s.Dispatch != nil && s.Dispatch.Path() == path
}

// Touches reports whether path is one of the files that the target changes, or lies in a folder that it copies.
func (t *Target) Touches(path string) bool {
	return slices.ContainsFunc(t.Changes, func(c Change) bool { return c.Path == path }) ||
		slices.ContainsFunc(t.Copies, func(c Copy) bool { return Inside(path, c.Path) })
}

// TouchesAny reports whether the target writes one of the paths.
func (t *Target) TouchesAny(paths []string) bool {
	return slices.Equal(paths, EveryPath) || slices.ContainsFunc(paths, t.Touches)
}

// paths returns the files that the stage changes and the folders that it copies.
func (s *Stage) paths() (all []string) {
	for _, c := range s.Changes() {
		all = append(all, c.Path)
	}
	for _, c := range s.Copies() {
		all = append(all, c.Path)
	}
	return all
}

// Target returns the target of that name, or nil.
func (s *Stage) Target(name TargetName) *Target {
	for i := range s.Targets {
		if s.Targets[i].Name == name {
			return &s.Targets[i]
		}
	}
	return nil
}

// TargetNames lists the targets for a person who has named none of them; "" if they have no names.
func (s *Stage) TargetNames() string {
	if !s.Rolls() {
		return ""
	}
	names := make([]string, len(s.Targets))
	for i := range s.Targets {
		names[i] = string(s.Targets[i].Name)
	}
	return strings.Join(FirstOf(names), ", ")
}

// names is the set of the stage's targets.
func (s *Stage) names() map[TargetName]bool {
	all := make(map[TargetName]bool, len(s.Targets))
	for i := range s.Targets {
		all[s.Targets[i].Name] = true
	}
	return all
}

// Spread reports whether some of the targets have their files on a branch of their own.
func (s *Stage) Spread() bool {
	return slices.ContainsFunc(s.Targets, func(t Target) bool { return t.Files != (Branch{}) })
}

// During returns the stage with those of its targets that the present step of a promotion updates, or with all as long
// as it has not started.
func (s *Stage) During(p *Promotion) *Stage {
	if p.Rollout == nil {
		return s
	}
	return s.Only(p.Rollout.Targets)
}

// Only returns the stage with some of its targets. Those that it no longer has are left out.
func (s *Stage) Only(names []TargetName) *Stage {
	some, wanted := *s, make(map[TargetName]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	some.Targets = nil
	for i := range s.Targets {
		if wanted[s.Targets[i].Name] {
			some.Targets = append(some.Targets, s.Targets[i])
		}
	}
	return &some
}

// join puts changes together. Several targets may have their values in one file.
func join(results ...[]Change) []Change {
	var all []Change
	first := make(map[Spot]int)
	for _, c := range slices.Concat(results...) {
		i, known := first[c.Spot("")]
		if !known {
			first[c.Spot("")] = len(all)
			all = append(all, Change{Files: c.Files, Path: c.Path, Set: slices.Clone(c.Set)})
			continue
		}
		for _, a := range c.Set {
			if !slices.ContainsFunc(all[i].Set, func(have Assignment) bool { return have.Kind == a.Kind && have.Key == a.Key }) {
				all[i].Set = append(all[i].Set, a)
			}
		}
	}
	return all
}

// Texts are names as the arguments of a reason.
func Texts[Name ~string](names []Name) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	return all
}

// maxNamed is how many targets of a batch are named.
const maxNamed = 10

// FirstOf returns the first of many names, and how many there are besides.
func FirstOf(names []string) []string {
	if more := len(names) - maxNamed; more > 0 {
		return append(names[:maxNamed:maxNamed], fmt.Sprintf("%d more", more))
	}
	return names
}
