package config

import (
	"slices"
	"time"

	"waybill/promotion"
)

// This file puts the floors of the policy files under the stages. A gate that the pipeline file does not say is as the
// floor has it, and so is one that it says lower, with a warning: who raises a floor need not wait for others to change
// their file. Where a stage cannot have what a floor asks for, the pipeline file cannot be used; under the server's
// floor it can, because others write that file and cannot know each pipeline, but nothing is promoted into the stage.

// level is one policy file over the pipeline.
type level struct {
	file   policyFile
	reader *reader
	server bool // it is the server's
}

// name is what problems call the file.
func (l level) name() string { return l.reader.report.file }

// floors are what policy files ask of the stages of a pipeline.
type floors struct {
	stages    graph
	allowance *allowance
}

// raise puts the floors of policy files under the stages, those of the repository's file before the server's.
func (f floors) raise(levels []level) {
	over := policies{f.stages.pipeline.Stages, f.allowance}
	for _, l := range levels {
		asked := make(map[promotion.StageName][]entry[floorFile])
		for _, floor := range l.file.stages.value {
			name := found[string]{value: floor.name, key: floor.key, at: floor.key, bad: floor.bad}
			for _, s := range over.covered(l.reader.key("stages"), name) {
				asked[s.Name] = append(asked[s.Name], floor)
			}
		}
		for _, s := range f.stages.all {
			if len(asked[s.Name]) > 0 {
				lift(s, l, f.of(s, l, asked[s.Name]))
				demands := s.Delivery != promotion.DeliveryNone && signsRollbacks(asked[s.Name])
				s.Policy.SignRollbacks = s.Policy.SignRollbacks || demands
			}
		}
	}
}

// signsRollbacks reports whether the entries of a policy file demand that every rollback of a stage is signed off: one
// says so, or one asks for sign-offs and none says otherwise.
func signsRollbacks(asked []entry[floorFile]) bool {
	said, signs, approvals := false, false, 0
	for _, e := range asked {
		said = said || e.value.rollbacks.given()
		signs = signs || e.value.rollbacks.or(false)
		approvals = max(approvals, e.value.approvals.or(0))
	}
	return signs || !said && approvals > 0
}

// of works out what the entries of a policy file ask of a stage together.
func (f floors) of(s *compiled, l level, asked []entry[floorFile]) promotion.Gates {
	floor := promotion.Bare(s.Stage)
	for _, e := range asked {
		ask := e.value
		if s.file.value.changes() {
			floor.Approvals = max(floor.Approvals, ask.approvals.or(0))
			floor.Guard = floor.Guard || ask.guard.or(false) && !s.file.value.dispatch.given()
		}
		if ask.merge.or(promotion.MergeAuto) == promotion.MergeManual {
			floor.Merge = promotion.MergeManual
		}
		floor.Freezes = append(floor.Freezes, compileFreezes(ask.freeze, time.UTC)...)
		r := l.reader.key("stages").key(e.name)
		f.askAfter(s, l, r.key("after"), ask.after, &floor)
		askSoak(ask.soak.or(0), &floor)
		f.askVerify(s, l, r.key("verify"), ask.verify, &floor)
	}
	return floor
}

// lift lifts the gates of a stage to a floor, and tells which of them the pipeline file says lower.
func lift(s *compiled, l level, floor promotion.Gates) {
	for _, low := range floor.Lowered(promotion.GatesOf(s.Stage)) {
		if r, at := s.says(low); at.line > 0 {
			r.warnf(at, "`%s` is lower than the floor in %s, which is in force: it is %s, and the floor is %s; "+
				"raise it, or remove it", low.Gate, l.name(), low.Is, low.Was)
		}
	}
	withoutPull(s, l, floor)
	s.Policy.Approvals = max(s.Policy.Approvals, floor.Approvals)
	s.Guard = s.Guard || floor.Guard
	for _, f := range floor.Freezes {
		if !slices.ContainsFunc(s.Policy.Freezes, f.HeldBy) {
			s.Policy.Freezes = append(s.Policy.Freezes, f)
		}
	}
	if floor.Merge == promotion.MergeManual {
		s.Merge.By = promotion.MergeManual
	}
	liftGates(s, l, floor)
	s.liftVerify(floor)
	s.under(floor)
}

// says returns where the pipeline file says the gate that is lower; no place if it leaves it out.
func (s *compiled) says(low promotion.Lowering) (*reader, pos) {
	f := &s.file.value
	switch low.Gate {
	case "approvals":
		return s.reader, f.approvals.key
	case "merge":
		return s.reader, f.merge.key
	case "guard":
		return s.reader, f.guard.key
	case "verify":
		return s.reader, f.verify.key
	case "after", "soak":
		after := f.after
		for _, e := range f.from.value {
			if e.name == string(low.Warehouse) && e.value.after.given() {
				after = e.value.after
			}
		}
		if low.Gate == "soak" {
			return s.reader, after.value.soak.key
		}
		return s.reader, after.key
	}
	return s.reader, pos{} // freezes of a floor are added to those of the stage
}

// unmet tells that a floor asks for something that the stage cannot have. Under the server's policy nothing goes into
// the stage then: it is frozen without end, but for rollbacks.
func unmet(s *compiled, l level, format string, args ...any) {
	if !l.server {
		s.reader.errorf(s.file.key, "cannot be as the floor in "+l.name()+" asks: "+format, args...)
		return
	}
	s.reader.warnf(s.file.key, "nothing is promoted here: it cannot be as the floor in "+l.name()+" asks: "+format,
		args...)
	s.Policy.Freezes = append(s.Policy.Freezes, promotion.Freeze{
		Reason: "the server's policy asks for what the pipeline file does not have", Rollbacks: true, Begins: "always",
		Window: endless{},
	})
}

// endless is a window without end.
type endless struct{}

// wayOff is a time that nobody waits for.
var wayOff = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// Until returns a time that nobody waits for.
func (endless) Until(time.Time) time.Time { return wayOff }

// Next returns no time: it has begun.
func (endless) Next(time.Time) time.Time { return time.Time{} }

// under keeps a floor, together with that of the level before.
func (s *compiled) under(floor promotion.Gates) {
	below := s.Policy.Floor
	if below == nil {
		s.Policy.Floor = &floor
		return
	}
	both := promotion.Gates{
		Freezes: slices.Concat(below.Freezes, floor.Freezes), Guard: below.Guard || floor.Guard,
		Approvals: max(below.Approvals, floor.Approvals), Merge: below.Merge,
	}
	if floor.Merge == promotion.MergeManual {
		both.Merge = floor.Merge
	}
	for i, from := range below.From {
		both.From = append(both.From, promotion.Source{
			Warehouse: from.Warehouse, After: bothGates(from.After, floor.From[i].After),
		})
	}
	for i, t := range below.Targets {
		t.Verify = stricter(t.Verify, floor.Targets[i].Verify)
		both.Targets = append(both.Targets, t)
	}
	s.Policy.Floor = &both
}

// withoutPull reports where a floor asks for something of a stage that only a pull request can have. Under the server's
// such a stage gets pull requests, if it can; a workflow is never started.
func withoutPull(s *compiled, l level, floor promotion.Gates) {
	manual := floor.Merge == promotion.MergeManual
	if s.Delivery != promotion.DeliveryCommit && s.Delivery != promotion.DeliveryWorkflow ||
		floor.Approvals == 0 && !manual {
		return
	}
	what, key, so := "commit: direct", s.file.value.commit.key, "cannot be"
	if s.Delivery == promotion.DeliveryWorkflow {
		what, key = "dispatch", s.file.value.dispatch.key
	}
	say := s.reader.errorf
	if l.server {
		say, so = s.reader.warnf, "has no effect"
	}
	if floor.Approvals > 0 {
		say(key, "`%s` %s: the policy asks for sign-offs of promotions to %s, and only a pull request can wait for "+
			"them; remove it, or lower `approvals` there", what, so, s.Name)
	} else {
		say(key, "`%s` %s: the policy wants a person to merge promotions to %s, and there would be nothing to merge; "+
			"remove it, or `merge: manual` there", what, so, s.Name)
	}
	if s.Delivery == promotion.DeliveryCommit {
		s.Delivery = promotion.DeliveryPullRequest
		return
	}
	s.Policy.Approvals = max(s.Policy.Approvals, 1) // which nobody can give: it never starts
	s.Policy.SignRollbacks = true
}
