package promotion

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Gates are what a stage asks for before freight comes in and before a promotion goes on. The floor that policies set
// under a stage has the same form.
type Gates struct {
	From      []Source // each with `after`, and its soak
	Targets   []Target // each with its name and `verify`
	Freezes   []Freeze
	Guard     bool
	Approvals int
	Merge     MergeMode
}

// GatesOf returns the gates of a stage as they are in force.
func GatesOf(s *Stage) Gates {
	return Gates{
		From: s.From, Targets: s.Targets, Freezes: s.Policy.Freezes, Guard: s.Guard, Approvals: s.Policy.Approvals,
		Merge: s.Merge.By,
	}
}

// FloorOf returns the floor that policies set under a stage. Where they say nothing it asks for nothing.
func FloorOf(s *Stage) Gates {
	if s.Policy.Floor != nil {
		return *s.Policy.Floor
	}
	return Bare(s)
}

// Bare returns gates of a stage that ask for nothing.
func Bare(s *Stage) Gates {
	g := Gates{Merge: MergeAuto}
	for _, from := range s.From {
		g.From = append(g.From, Source{Warehouse: from.Warehouse})
	}
	for i := range s.Targets {
		g.Targets = append(g.Targets, Target{Name: s.Targets[i].Name})
	}
	return g
}

// Lowering is a gate that asks for less than it did, or than it must.
type Lowering struct {
	Gate      string        // its key in the files: "verify", "after", "soak", "freeze", "guard", "approvals", "merge"
	Warehouse WarehouseName // whose freight it is, of `after` and `soak`
	Target    TargetName    // that has it, of `verify`; empty: the stage is one place
	Was, Is   string        // as the files have them
}

// Lowered returns the gates that ask for less than those before. A warehouse or a target that is not there any more has
// no gates. Of several targets with a lower list the first is named.
func (g Gates) Lowered(is Gates) []Lowering {
	all := slices.Concat(g.laterOrFewer(is), g.unverified(is), g.unfrozen(is))
	if g.Guard && !is.Guard {
		all = append(all, Lowering{Gate: "guard", Was: "true", Is: "false"})
	}
	if is.Approvals < g.Approvals {
		all = append(all, Lowering{Gate: "approvals", Was: fmt.Sprint(g.Approvals), Is: fmt.Sprint(is.Approvals)})
	}
	if g.Merge == MergeManual && is.Merge != MergeManual {
		all = append(all, Lowering{Gate: "merge", Was: string(MergeManual), Is: string(MergeAuto)})
	}
	return all
}

// laterOrFewer compares what freight of each warehouse must have been through.
func (g Gates) laterOrFewer(is Gates) (all []Lowering) {
	for _, from := range g.From {
		i := slices.IndexFunc(is.From, func(s Source) bool { return s.Warehouse == from.Warehouse })
		if i < 0 {
			continue
		}
		after := is.From[i].After
		if !after.Implies(from.After) {
			all = append(all, Lowering{
				Gate: "after", Warehouse: from.Warehouse, Was: from.After.String(), Is: after.String(),
			})
		}
		if was, soak := from.After.soak(), after.soak(); soak < was {
			all = append(all, Lowering{Gate: "soak", Warehouse: from.Warehouse, Was: Brief(was), Is: Brief(soak)})
		}
	}
	return all
}

func (g *Gate) soak() time.Duration {
	if g == nil {
		return 0
	}
	return g.Soak
}

// Implies reports whether whatever passes g has been verified by as many stages as other asks for. Of the stages that
// verify it for g as few as can be are such that other counts. How long freight soaks is not looked at.
func (g *Gate) Implies(other *Gate) bool {
	if other == nil {
		return true
	}
	if g == nil {
		return other.Need == 0
	}
	counted, counts := 0, make(map[StageName]bool, len(other.Of))
	for _, up := range other.Of {
		counts[up.Name] = true
	}
	for _, up := range g.Of {
		if counts[up.Name] {
			counted++
		}
	}
	return max(g.Need-(len(g.Of)-counted), 0) >= other.Need
}

// String returns the gate as the pipeline file has it, without its soak.
func (g *Gate) String() string {
	if g == nil || len(g.Of) == 0 {
		return "none"
	}
	var names []string
	for _, up := range g.Of {
		names = append(names, string(up.Name))
	}
	of := "[" + strings.Join(names, ", ") + "]"
	switch {
	case len(g.Of) == 1:
		return names[0]
	case g.Need == len(g.Of):
		return "{all: " + of + "}"
	case g.Need == 1:
		return "{any: " + of + "}"
	}
	return fmt.Sprintf("{at-least: %d, of: %s}", g.Need, of)
}

// unverified compares which signals verify each target. A stage that is one place is compared with each target that
// it becomes, and targets that become one place by the first of them.
func (g Gates) unverified(is Gates) []Lowering {
	for i := range is.Targets {
		t := &is.Targets[i]
		at := slices.IndexFunc(g.Targets, func(was Target) bool { return was.Name == t.Name })
		if at < 0 && len(g.Targets) > 0 && (t.Name == "" || g.Targets[0].Name == "") {
			at = 0
		}
		if at < 0 {
			continue
		}
		if all := t.lowered(g.Targets[at].Verify); len(all) > 0 {
			return all
		}
	}
	return nil
}

// lowered lists the matchers that a target lacks, or has laxer ones in their place.
func (t *Target) lowered(was []Matcher) (all []Lowering) {
	has := make(map[Matched]*Matcher, len(t.Verify))
	for i := range t.Verify {
		has[t.Verify[i].Matches()] = &t.Verify[i]
	}
	for i := range was {
		low := Lowering{Gate: "verify", Target: t.Name, Was: was[i].signal(), Is: "none"}
		if is := has[was[i].Matches()]; is != nil {
			low.Was, low.Is = was[i].laxer(is)
		}
		if low.Was != low.Is {
			all = append(all, low)
		}
	}
	return all
}

// laxer describes a matcher and another one of the same signals, if that is laxer; else both are "".
func (m *Matcher) laxer(is *Matcher) (was, now string) {
	says := func(m *Matcher) string {
		text := m.signal() + fmt.Sprintf(" with missing: %s, skipped: %s", m.Missing, m.Skipped)
		if m.Missing == LackPasses {
			text += ", appear: " + Brief(m.Appear)
		}
		return text
	}
	if is.Stricter(*m) == *is {
		return "", ""
	}
	return says(m), says(is)
}

// Matched are the signals that a matcher names.
type Matched struct {
	Kind         SignalKind
	Pattern, App string
}

// Matches returns the signals that the matcher names.
func (m *Matcher) Matches() Matched { return Matched{m.Kind, m.Pattern, m.App} }

// signal names the signals that the matcher waits for, with the App that they must be of.
func (m *Matcher) signal() string {
	text := string(m.Kind) + " " + m.Pattern
	if m.App != "" {
		text += " of " + m.App
	}
	return text
}

// Stricter returns the matcher with the stricter answer of the two to a signal that is missing or skipped. How long it
// waits is left as it is, unless what is missing passes by then.
func (m Matcher) Stricter(o Matcher) Matcher {
	if m.Missing == LackPasses && o.Missing == LackPasses {
		m.Appear = max(m.Appear, o.Appear)
		m.Timeout = max(m.Timeout, m.Appear)
	}
	m.Missing, m.Skipped = m.Missing.stricter(o.Missing), m.Skipped.stricter(o.Skipped)
	return m
}

func (l Lack) stricter(o Lack) Lack {
	order := []Lack{LackPasses, LackHolds, LackFails}
	if slices.Index(order, o) > slices.Index(order, l) {
		return o
	}
	return l
}

// unfrozen lists the freezes that do not hold any more, or not as long, or let rollbacks pass that they stopped.
func (g Gates) unfrozen(is Gates) (all []Lowering) {
	for _, f := range g.Freezes {
		if !slices.ContainsFunc(is.Freezes, f.HeldBy) {
			all = append(all, Lowering{Gate: "freeze", Was: f.String(), Is: cmp.Or(f.closest(is.Freezes), "none")})
		}
	}
	return all
}

// HeldBy reports whether another freeze stops whatever f stops.
func (f Freeze) HeldBy(o Freeze) bool {
	if o.Rollbacks && !f.Rollbacks {
		return false
	}
	if f.Begins != "" && f.Begins == o.Begins {
		return o.Lasts >= f.Lasts
	}
	return reflect.DeepEqual(f.Window, o.Window)
}

// closest returns the freeze that begins with f, in words, or "".
func (f Freeze) closest(all []Freeze) string {
	i := slices.IndexFunc(all, func(o Freeze) bool { return f.Begins != "" && o.Begins == f.Begins })
	if i < 0 {
		return ""
	}
	return all[i].String()
}
