package invariant

import (
	"fmt"
	"slices"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
)

// begins reports whether another step of the promotion's rollout has begun.
func (c change) begins() bool {
	was, is := c.old.Progress().Step, c.now.Progress().Step
	return c.now.Rollout != c.old.Rollout && is > was && was > 0 && c.old.State == "verifying"
}

func keepsItsBatches(_ *ledger.Ledger, c change) string {
	if c.now.Rollout == c.old.Rollout {
		return ""
	}
	was, is := c.old.Progress(), c.now.Progress()
	if was.Step == 0 || fmt.Sprint(was.Batches) == fmt.Sprint(is.Batches) {
		return ""
	}
	return fmt.Sprintf("p%d: %v, before %v", c.now.Number, is.Batches, was.Batches)
}

func followsItsSteps(_ *ledger.Ledger, c change) string {
	if c.now.Rollout == c.old.Rollout {
		return ""
	}
	was, is := c.old.Progress().Step, c.now.Progress().Step
	if is >= was {
		return ""
	}
	return fmt.Sprintf("p%d: step %d after %d", c.now.Number, is, was)
}

func stepsUnheld(l *ledger.Ledger, c change) string {
	stood := func(o ledger.Hold) bool { return o.Stops(c.now) && slices.Contains(c.before.Holds, o) }
	if !c.begins() || !slices.ContainsFunc(l.DB.Standing(), stood) {
		return ""
	}
	return fmt.Sprintf("p%d in %s", c.now.Number, c.now.Stage)
}

func stepsUnpaused(_ *ledger.Ledger, c change) string {
	if !c.begins() || !c.old.Paused() || !c.now.Paused() {
		return ""
	}
	return fmt.Sprintf("p%d in %s", c.now.Number, c.now.Stage)
}

func leavesNoneOut(l *ledger.Ledger, c change) string {
	r := l.Rollouts.Rollouts[c.now.Number]
	if r == nil || c.known && c.old.Ended() {
		return ""
	}
	for _, t := range c.now.Progress().Skipped {
		if !l.ByHand.Asked[r.Stage.Name+"/"+t] {
			return fmt.Sprintf("%s of p%d", t, r.Promotion)
		}
	}
	return ""
}

// arrives returns the rollout of a promotion that has just succeeded, unless a person has given a verdict in its stage.
func arrives(l *ledger.Ledger, c change) *ledger.Rollout {
	r := l.Rollouts.Rollouts[c.now.Number]
	if c.now.State != "succeeded" || c.old.State == "succeeded" || r == nil || l.DB.Ruled(c.now.Stage) {
		return nil
	}
	return r
}

func hasArrived(l *ledger.Ledger, c change) string {
	r := arrives(l, c)
	if r == nil {
		return ""
	}
	if _, good := l.Rollouts.ProvenEverywhere(r, c.now); good {
		return ""
	}
	return fmt.Sprintf("p%d of %s in %s", c.now.Number, c.now.Name, c.now.Stage)
}

// hasCome checks that a promotion that succeeds has reached a requested target, where targets are driven from outside.
func hasCome(l *ledger.Ledger, c change) string {
	r, p := arrives(l, c), c.now
	if r == nil || !r.Stage.External {
		return ""
	}
	s, known := l.Sources.SourceOf(p)
	has := func(t string) bool {
		_, merged := l.Rollouts.LastMerge(r, p, t)
		text, _ := l.GitHub.File(r.Stage.At().Repo, r.Stage.At().Branch, r.Stage.File(t))
		is, _ := r.Stage.Form.Says(text, p.Warehouse)
		return p.GoesTo(t) && (merged || known && is == r.Stage.Form.Writes(s.Value()))
	}
	if slices.ContainsFunc(r.Stage.Targets, has) {
		return ""
	}
	return fmt.Sprintf("p%d of %s in %s to %s", p.Number, p.Name, p.Stage, p.Only)
}

// rolloutStep is a step of a rollout: a pull request that has just been opened, or a commit without one.
type rolloutStep struct {
	rollout *ledger.Rollout
	pull    githubsim.Pull
	targets []string
	batch   int // of the first target; -1 without targets
}

// rolloutRules apply to every step of a rollout when it begins.
var rolloutRules = []rule[rolloutStep]{
	{"a step of a rollout updates a target", updatesSomething},
	{"the targets of a step are of one batch", belongsToOneBatch},
	{"with a pull request for each target it updates one", isOfOneTarget},
	{"a target driven from outside moves when a person or program has asked for it", isAskedFor},
	{"no more targets of a batch are merged and not verified than `at-once` allows", keepsItsBudget},
	{"no step begins when more targets have failed than may", keepsItsFailures},
	{"a step begins when CI or silence has decided about each target of the earlier batches", comesAfterVerdicts},
	{"a step begins when each target of the earlier batches is updated or has a reason not to be", comesAfterAll},
	{"a batch rests before the next one begins", comesAfterRest},
}

func updatesSomething(_ *ledger.Ledger, s rolloutStep) string {
	if len(s.targets) > 0 {
		return ""
	}
	return fmt.Sprintf("#%d of p%d", s.pull.Number, s.rollout.Promotion)
}

func belongsToOneBatch(_ *ledger.Ledger, s rolloutStep) string {
	elsewhere := func(t string) bool { return s.rollout.Stage.BatchOf(t) != s.batch }
	if s.batch >= 0 && !slices.ContainsFunc(s.targets, elsewhere) {
		return ""
	}
	return fmt.Sprintf("#%d of p%d updates %v", s.pull.Number, s.rollout.Promotion, s.targets)
}

func isOfOneTarget(_ *ledger.Ledger, s rolloutStep) string {
	if !s.rollout.Stage.PerTarget || len(s.targets) == 1 {
		return ""
	}
	return fmt.Sprintf("#%d of p%d updates %v", s.pull.Number, s.rollout.Promotion, s.targets)
}

// isAskedFor checks that a promotion goes only to requested targets, where targets are driven from outside. Rollbacks
// and repairs are exempt: they restore the previous freight.
func isAskedFor(l *ledger.Ledger, s rolloutStep) string {
	promoted := l.DB.Seen.Promotions[s.rollout.Promotion]
	if !s.rollout.Stage.External || promoted.Class == "rollback" || promoted.Repairs {
		return ""
	}
	for _, t := range s.targets {
		if !l.ByHand.Asked[s.rollout.Stage.Name+"/"+t] {
			return fmt.Sprintf("#%d of p%d updates %s", s.pull.Number, s.rollout.Promotion, t)
		}
	}
	return ""
}

// keepsItsBudget checks by the merges at GitHub and the reports of CI that no more targets are unavailable than
// allowed.
func keepsItsBudget(l *ledger.Ledger, s rolloutStep) string {
	r, b := s.rollout, s.rollout.Stage.Batches[s.batch]
	unavailable := slices.Clone(s.targets)
	for _, t := range r.Stage.In(b) {
		merge, open := l.Rollouts.Unproven(r, t)
		if open && !slices.Contains(s.targets, t) && !(l.Rollouts.Failed(r, t, merge) && l.Rollouts.GoesOn(r)) {
			unavailable = append(unavailable, t)
		}
	}
	if len(unavailable) <= r.Stage.Limit(b) {
		return ""
	}
	return fmt.Sprintf("#%d of p%d: %v are unavailable in %s, %d may be",
		s.pull.Number, r.Promotion, unavailable, b.Name, r.Stage.Limit(b))
}

// keepsItsFailures checks that no step begins when more targets have certainly failed than allowed.
func keepsItsFailures(l *ledger.Ledger, s rolloutStep) string {
	r, in := s.rollout, l.Checkout.InForce()
	if in == nil || in.Stage(r.Stage.Name) == nil || in.Stage(r.Stage.Name).Beyond == "continue" {
		return ""
	}
	failures := 0
	for _, t := range r.Stage.Targets {
		merge, open := l.Rollouts.Unproven(r, t)
		if open && l.Rollouts.Failed(r, t, merge) && l.Rollouts.KnownBad(r, t, merge) {
			failures++
		}
	}
	if failures <= in.Stage(r.Stage.Name).MaxFailures {
		return ""
	}
	return fmt.Sprintf("#%d of p%d: %d have, %d may", s.pull.Number, r.Promotion, failures, r.Stage.MaxFailures)
}

// earlier lists the targets of the batches before the step's own.
func (s rolloutStep) earlier() (all []string) {
	for _, b := range s.rollout.Stage.Batches[:s.batch] {
		all = append(all, s.rollout.Stage.In(b)...)
	}
	return all
}

func comesAfterVerdicts(l *ledger.Ledger, s rolloutStep) string {
	for _, t := range s.earlier() {
		if merge, open := l.Rollouts.Unproven(s.rollout, t); open && !l.Rollouts.Failed(s.rollout, t, merge) {
			return fmt.Sprintf("#%d of p%d: nothing was heard of %s", s.pull.Number, s.rollout.Promotion, t)
		}
	}
	return ""
}

func comesAfterAll(l *ledger.Ledger, s rolloutStep) string {
	r := s.rollout
	for _, t := range s.earlier() {
		_, updated := l.Rollouts.MergeOf(r.Promotion, t)
		if !updated && !l.Rollouts.PassedOver(r, t, l.Rollouts.BaseOf(&r.Stage, t, s.pull)) {
			return fmt.Sprintf("#%d of p%d: %s is not updated", s.pull.Number, r.Promotion, t)
		}
	}
	return ""
}

// comesAfterRest checks that a batch rests after its last verdict before the next one begins. Later reports on it do
// not count.
func comesAfterRest(l *ledger.Ledger, s rolloutStep) string {
	r := s.rollout
	if s.batch == 0 || l.Rollouts.Begun(r, r.Stage.Batches[s.batch]) || l.DB.Ruled(r.Stage.Name) {
		return ""
	}
	before := r.Stage.Batches[s.batch-1]
	for _, t := range r.Stage.In(before) {
		merge, updated := l.Rollouts.MergeOf(r.Promotion, t)
		if !updated || r.Left[t] {
			continue
		}
		if since := l.Rollouts.Judged(r, t, merge); time.Since(since) < before.Wait-early-l.Clock.Uncertainty() {
			return fmt.Sprintf("#%d of p%d: %s after the verdict on %s", s.pull.Number, r.Promotion, time.Since(since), t)
		}
	}
	return ""
}
