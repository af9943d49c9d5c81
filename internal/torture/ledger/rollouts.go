package ledger

import (
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// Rollouts are the promotions that go through targets.
type Rollouts struct {
	byHand   *ByHand
	checkout *Checkout
	db       *Database
	evidence *Evidence
	github   *githubsim.Server
	log      *Journal
	remote   *Remote
	signals  *Signals
	sources  *Sources

	Rollouts map[int64]*Rollout  // by the number of the promotion
	spares   map[string][]string // targets that a merge must not touch, by the branch of its pull request
}

// Rollout describes a promotion that goes through targets. Stage is its stage at the start, whose batches
// stay the same to the end. Each map has the targets that were in that state at some time since the start.
type Rollout struct {
	Promotion int64
	Stage     shape.Stage
	At        time.Time
	Left      map[string]bool // not in the pipeline file
	lacked    map[string]bool // without their file
	spared    map[string]bool // held or left out
	aside     map[string]bool // not selected by the promotion
}

// Departs records the stage of a promotion that starts, if the stage has targets.
func (x *Rollouts) Departs(p Promo) {
	if in := x.checkout.InForce(); in != nil && in.Stage(p.Stage) != nil && in.Stage(p.Stage).Rolls() &&
		x.Rollouts[p.Number] == nil {
		x.Rollouts[p.Number] = &Rollout{p.Number, *in.Stage(p.Stage), time.Now(), map[string]bool{}, map[string]bool{},
			map[string]bool{}, map[string]bool{}}
		x.watch(x.Rollouts[p.Number])
	}
}

// WatchTargets notes which targets leave the pipeline file during a rollout, and which have no file.
func (x *Rollouts) WatchTargets(before Records) {
	if len(x.Rollouts) == 0 {
		return
	}
	for number, r := range x.Rollouts {
		if !before.Promotions[number].Ended() {
			x.watch(r)
		}
	}
}

// watch notes which targets of a rollout cannot take part.
func (x *Rollouts) watch(r *Rollout) {
	in := x.checkout.InForce()
	x.watchDriven(r)
	for _, t := range r.Stage.Targets {
		if in != nil && (in.Stage(r.Stage.Name) == nil || !slices.Contains(in.Stage(r.Stage.Name).Targets, t)) {
			r.Left[t] = true
		}
		if !x.checkout.Has(&r.Stage, r.Stage.File(t)) {
			r.lacked[t] = true
		}
	}
}

// MergeOf returns the merge by which a promotion has updated a target, if it has.
func (x *Rollouts) MergeOf(number int64, target string) (p githubsim.Pull, found bool) {
	for _, p := range slices.Backward(x.remote.Merges()) {
		if NumberOf(p.HeadBranch) == number && slices.Contains(x.remote.TargetsIn(p), target) {
			return p, true
		}
	}
	return p, false
}

// ends are the results, other than success, that may end the wait for CI.
var ends = []string{"failure", "error", "timed_out", "skipped", "neutral", "inactive", "cancelled"}

// Unproven returns the merge by which a promotion has updated a target, and whether that target is not verified yet. A
// target that has left the pipeline file does not count.
func (x *Rollouts) Unproven(r *Rollout, target string) (p githubsim.Pull, is bool) {
	p, updated := x.MergeOf(r.Promotion, target)
	return p, updated && !r.Left[target] && !x.verified(r, target, p)
}

// verified reports whether a merged target is verified, by reports of CI or because none was required.
func (x *Rollouts) verified(r *Rollout, target string, p githubsim.Pull) bool {
	if x.db.Ruled(r.Stage.Name) {
		return true
	}
	for _, m := range r.Stage.Verify {
		_, good := x.evidence.said(&r.Stage, target, m.Of(target), p.MergeSHA, "success")
		_, heard := x.evidence.said(&r.Stage, target, m.Of(target), p.MergeSHA, ends...)
		if !good && !(m.Skipped == "pass" && heard) && !(m.Missing == "pass" && x.evidence.silentFor(p, m.Appear)) {
			return false
		}
	}
	return true
}

// Failed reports whether a target may have failed: CI has reported one of ends, or the wait for a report is over.
func (x *Rollouts) Failed(r *Rollout, target string, p githubsim.Pull) bool {
	for _, m := range r.Stage.Verify {
		if _, heard := x.evidence.said(&r.Stage, target, m.Of(target), p.MergeSHA, ends...); heard || x.evidence.silentFor(p,
			m.Appear) {
			return true
		}
	}
	return false
}

// GoesOn reports whether a rollout may continue despite failures, by the pipeline in force. Without one that has its
// stage, it may.
func (x *Rollouts) GoesOn(r *Rollout) bool {
	in := x.checkout.InForce()
	return in == nil || in.Stage(r.Stage.Name) == nil || in.Stage(r.Stage.Name).Beyond == "continue"
}

// KnownBad reports whether the program has received a failure for the very commit that updated a target.
func (x *Rollouts) KnownBad(r *Rollout, target string, p githubsim.Pull) bool {
	return slices.ContainsFunc(r.Stage.Verify, func(m shape.Matcher) bool {
		m = m.Of(target)
		last := x.signals.LastSaid(m, p.MergeSHA)
		return (last == "failure" || last == "error" || last == "timed_out") && !strings.Contains(m.Pattern, "*") &&
			x.db.Count(`SELECT COUNT(*) FROM signals WHERE kind = ? AND sha = ? AND name = ? AND state = ?`, m.Kind, p.MergeSHA,
				m.Name(), last) > 0
	})
}

// BaseOf returns the base commit of a pull request if the file of a target is on its base branch, else the file's
// branch.
func (x *Rollouts) BaseOf(s *shape.Stage, target string, p githubsim.Pull) string {
	if at := s.AtOf(target); at != GoesTo(p) {
		return at.Branch
	}
	return p.BaseSHA
}

// PassedOver reports whether there is a reason not to update a target. Its file may already have the value, be missing,
// or have been changed by hand. The target may have left the pipeline file, be held, left out, not ready or not
// selected.
func (x *Rollouts) PassedOver(r *Rollout, target, at string) bool {
	text, _ := x.github.File(r.Stage.AtOf(target).Repo, at, r.Stage.File(target))
	promoted := x.db.Seen.Promotions[r.Promotion]
	is, _ := r.Stage.Form.Says(text, promoted.Warehouse)
	s, known := x.sources.SourceOf(promoted)
	byHand := x.byHand.Handled[r.Stage.File(target)]
	if r.Stage.Ready && x.signals.WasShown(target, false, r.At) {
		return true
	}
	if r.Left[target] || r.lacked[target] || r.spared[target] || r.aside[target] || byHand.After(r.At) || known &&
		r.Stage.Form.Writes(s.Value()) == is {
		return true
	}
	stands := map[string]string{}
	x.addStanding(promoted, stands)
	return !byHand.IsZero() && stands[target] != "" // the stage ignores drift: its last deployment counts
}

// Begun reports whether a rollout has reached a batch. From then on, reports on the previous one come too late.
func (x *Rollouts) Begun(r *Rollout, b shape.Batch) bool {
	return slices.ContainsFunc(r.Stage.In(b), func(t string) bool {
		_, updated := x.MergeOf(r.Promotion, t)
		return updated
	})
}

// Judged returns the earliest time of a possible verdict on a target.
func (x *Rollouts) Judged(r *Rollout, target string, p githubsim.Pull) time.Time {
	at, good := x.evidence.Proven(&r.Stage, target, p.MergeSHA, p.MergedAt)
	for _, m := range r.Stage.Verify {
		if bad, heard := x.evidence.said(&r.Stage, target, m.Of(target), p.MergeSHA, ends...); heard && (!good ||
			bad.Before(at)) {
			at, good = bad, true
		}
	}
	return at
}

// ProvenEverywhere returns whether CI has verified every target of a rollout, and since when.
func (x *Rollouts) ProvenEverywhere(r *Rollout, q Promo) (since time.Time, good bool) {
	for _, t := range r.Stage.Targets {
		merge, updated := x.LastMerge(r, q, t)
		switch {
		case r.Left[t]:
		case updated:
			at, good := x.evidence.Proven(&r.Stage, t, merge.MergeSHA, merge.MergedAt)
			if !good {
				return since, false
			}
			if at.After(since) {
				since = at
			}
		case !x.PassedOver(r, t, r.Stage.AtOf(t).Branch):
			return since, false
		}
	}
	return since, true
}

// LastMerge returns the last merge that brought a promotion's freight to a target: its own, or an earlier one's.
func (x *Rollouts) LastMerge(r *Rollout, q Promo, target string) (p githubsim.Pull, found bool) {
	for _, p := range slices.Backward(x.remote.Merges()) {
		n := NumberOf(p.HeadBranch)
		if n <= q.Number && x.db.Seen.Promotions[n].Freight == q.Freight && StageIn(p) == r.Stage.Name &&
			slices.Contains(x.remote.TargetsIn(p), target) {
			return p, true
		}
	}
	return p, false
}

// addStanding adds results of earlier deployments of a promotion's freight: those of verified targets, and those of
// targets that the promotion does not go to. Results of targets with drift do not count.
func (x *Rollouts) addStanding(p Promo, states map[string]string) {
	last := map[string]string{}
	for _, row := range x.db.Texts(`SELECT json_extract(value, '$.target') || ' ' || CASE
			WHEN y.freight <> ? OR instr(coalesce(y.drift, ''), json_extract(value, '$.target') || '.') > 0 THEN 'elsewhere'
			WHEN coalesce(json_extract(value, '$.verdict'), '') = 'passed' THEN 'verified'
			WHEN q.only_targets = 'null' THEN 'elsewhere'
			WHEN instr(q.only_targets, '"' || json_extract(value, '$.target') || '"') > 0 THEN 'elsewhere'
			WHEN json_extract(value, '$.verdict') = 'failed' THEN 'failed' ELSE 'updating' END
		FROM promotions q JOIN deployments y ON y.pipeline = q.pipeline AND y.stage = q.stage AND y.warehouse = q.warehouse,
			json_each(y.results)
		WHERE q.number = ? ORDER BY y.entered_at, y.promotion`, p.Freight, p.Number) {
		t, state, _ := strings.Cut(row, " ")
		last[t] = state
	}
	for t, state := range last {
		if states[t] != "removed" && state != "elsewhere" {
			states[t] = state
		}
	}
}

// watchDriven notes which targets have been held or left out at some time, and which were not selected.
func (x *Rollouts) watchDriven(r *Rollout) {
	p := x.db.Seen.Promotions[r.Promotion]
	for _, t := range p.Progress().Skipped {
		r.spared[t] = true
	}
	for _, o := range x.db.Seen.Kept {
		r.spared[o.Target] = r.spared[o.Target] || o.Stage == r.Stage.Name
	}
	for _, t := range r.Stage.Targets {
		r.aside[t] = r.aside[t] || !p.GoesTo(t)
	}
}

// Needs returns how many sign-offs a pull request of Waybill's needs: those of the stage for the first of a promotion,
// and those of a batch for the first of that batch. What was merged in a lost time does not count.
func (x *Rollouts) Needs(s *shape.Stage, pull githubsim.Pull) (n int) {
	number := NumberOf(pull.HeadBranch)
	if waived(x.db, x.db.Seen.Promotions[number]) {
		return 0
	}
	before := slices.DeleteFunc(x.remote.Ours("merged"), func(p githubsim.Pull) bool {
		return NumberOf(p.HeadBranch) != number || p.HeadBranch == pull.HeadBranch || !x.db.HasPull(p)
	})
	if len(before) == 0 {
		n = s.Approvals
	}
	r := x.Rollouts[number]
	if r == nil {
		return n
	}
	in := func(p githubsim.Pull) int {
		for _, path := range x.remote.PathsOf(p) {
			if at := r.Stage.BatchOf(shape.TargetOf(path)); at >= 0 {
				return at
			}
		}
		return -1
	}
	at := in(pull)
	if at >= 0 && !slices.ContainsFunc(before, func(p githubsim.Pull) bool { return in(p) == at }) {
		n = max(n, r.Stage.Batches[at].Signed)
	}
	return n
}

// Summary counts the targets of a rollout by state, such as verified, updating or waiting.
func (x *Rollouts) Summary(p Promo) map[string]int {
	at, count := p.Progress(), map[string]int{"verified": 0}
	states := map[string]string{}
	for _, t := range at.Gone {
		states[t] = "removed"
	}
	for _, t := range at.Skipped {
		states[t] = "skipped"
	}
	for _, t := range at.Waiting {
		states[t] = "waiting"
	}
	for _, t := range at.Targets {
		if states[t] == "" && !p.Ended() {
			states[t] = "updating"
		}
	}
	if !p.Ended() && x.db.Count(`SELECT COUNT(*) FROM deployments WHERE promotion = ?`, p.Number) == 0 {
		x.addStanding(p, states)
	}
	for _, result := range x.db.Texts(`SELECT json_extract(value, '$.target') || ' ' 
			|| coalesce(json_extract(value, '$.verdict'), '')
		FROM deployments, json_each(results) WHERE promotion = ?`, p.Number) {
		t, verdict, _ := strings.Cut(result, " ")
		states[t] = map[string]string{"passed": "verified", "failed": "failed"}[verdict]
		if states[t] == "" {
			states[t] = "updating"
		}
	}
	now := x.checkout.InForce()
	for _, b := range at.Batches {
		for _, t := range b.Targets {
			switch {
			case states[t] != "":
			case p.Ended() && now != nil && !hasTarget(now.Stage(p.Stage), t):
				states[t] = "removed"
			default:
				states[t] = "to come"
			}
			count[states[t]]++
		}
	}
	return count
}

// hasTarget reports whether a stage, if there is one, has a target.
func hasTarget(s *shape.Stage, target string) bool {
	return s != nil && slices.Contains(s.Targets, target)
}

// Heed remembers the targets that the merge a worker is about to request must not touch.
func (x *Rollouts) Heed(s Sight, p githubsim.Pull) {
	r := x.Rollouts[NumberOf(p.HeadBranch)]
	if r != nil && s.Heeds != nil && s.Heeds.Stage(r.Stage.Name) != nil {
		x.spares[p.HeadBranch] = s.leaves(r)
	}
}

// Spares reports whether a merge must not touch a target because the worker knew that it was gone, held or left out.
func (x *Rollouts) Spares(p githubsim.Pull, target string) bool {
	return slices.Contains(x.spares[p.HeadBranch], target)
}
