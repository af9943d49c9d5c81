package promotion

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// TargetName is the name of a target, unique in its stage.
type TargetName string

// Target is one of the places that a stage consists of: a cluster, a region. A stage without targets is one place without
// a name.
type Target struct {
	Name    TargetName
	Files   Branch      // that holds its files; none: the stage's
	Changes []Change    // those of the stage's changes that are for this target
	Copies  []Copy      // those of its copies that are
	Verify  []Matcher   // the signals that verify freight there
	Ready   []Condition // what must be so before it takes part
	// Environment is on GitHub where what is brought to this target is a deployment, and EnvironmentURL where to look at it; empty: none.
	Environment, EnvironmentURL string
}

// Batch is a number of targets that are updated one step after the other. Every target of a stage is in exactly one.
type Batch struct {
	Name    string
	Targets []TargetName  // in the order in which they are updated
	AtOnce  int           // how many of them may be updated and not yet verified at a time, at least 1
	Wait    time.Duration // after it, before the next one begins
	// Approvals is how many people must sign off the first pull request of the batch, besides those that the stage asks for.
	Approvals int
}

// BeyondMode says what becomes of a rollout in which more targets have failed than may.
type BeyondMode string

// BeyondPauses ends the rollout, leaves the targets that are still to come as they are and holds the stage.
// BeyondRollsBack ends it, and what has been updated goes back to what was there. BeyondContinues goes on to the end.
const (
	BeyondPauses    BeyondMode = "pause"
	BeyondRollsBack BeyondMode = "rollback"
	BeyondContinues BeyondMode = "continue"
)

// Rolls reports whether promotions into the stage go through targets, batch by batch.
func (s *Stage) Rolls() bool { return len(s.Targets) > 0 }

// Target returns the target of that name, or nil.
func (s *Stage) Target(name TargetName) *Target {
	for i := range s.Targets {
		if s.Targets[i].Name == name {
			return &s.Targets[i]
		}
	}
	return nil
}

// TargetNames lists the targets for somebody who has named none of them; "" if there are none.
func (s *Stage) TargetNames() string {
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

// During returns the stage as the present step of a promotion sees it: with the changes of the targets that the step
// updates and of no others. Without targets that is the stage itself.
func (s *Stage) During(p *Promotion) *Stage {
	if p.Rollout == nil {
		return s
	}
	return s.Only(p.Rollout.Targets)
}

// Only returns the stage with the changes, copies and matchers of some of its targets. Targets that it no longer has are left out.
func (s *Stage) Only(names []TargetName) *Stage {
	step := *s
	step.Targets, step.Changes, step.Copies, step.Verify = nil, nil, nil, nil
	var parts [][]Change
	wanted := make(map[TargetName]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	for i := range s.Targets {
		t := &s.Targets[i]
		if wanted[t.Name] {
			step.Targets = append(step.Targets, *t)
			step.Verify = append(step.Verify, t.Verify...)
			step.Copies = append(step.Copies, t.Copies...)
			parts = append(parts, t.Changes)
		}
	}
	step.Changes = Join(parts...)
	return &step
}

// Join puts changes together. Several targets may have their values in one file.
func Join(parts ...[]Change) []Change {
	var all []Change
	first := make(map[Spot]int)
	for _, c := range slices.Concat(parts...) {
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
func Texts(targets []TargetName) []string {
	all := make([]string, len(targets))
	for i, t := range targets {
		all[i] = string(t)
	}
	return all
}

// TouchesAny reports whether one of the paths is a file of the target, or lies in a folder of it.
func (t *Target) TouchesAny(paths []string) bool {
	own := Stage{Changes: t.Changes, Copies: t.Copies}
	return own.touchesAny(paths)
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
