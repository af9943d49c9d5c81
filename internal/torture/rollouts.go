package torture

import (
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// rollout is what is known of a promotion that goes through targets: how its stage was when it started, whose batches
// hold to the end.
type rollout struct {
	promotion int64
	stage     shape.Stage
	at        time.Time
	left      map[string]bool // targets that have not been in the pipeline file at some time since
	lacked    map[string]bool // targets whose file was not there at some time since
	spared    map[string]bool // targets that were held or left out at some time since
	aside     map[string]bool // targets to which it did not go at some time
}

// departs remembers how a stage with targets is when a promotion into it starts.
func (x *Rollouts) departs(p promo) {
	if in := x.checkout.inForce(); in != nil && in.Stage(p.stage) != nil && in.Stage(p.stage).Rolls() && x.rollouts[p.number] == nil {
		x.rollouts[p.number] = &rollout{p.number, *in.Stage(p.stage), time.Now(), map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
		x.watch(x.rollouts[p.number])
	}
}

// watchTargets notes which targets leave the pipeline file while a rollout goes on, and which have no file.
func (x *Rollouts) watchTargets(before records) {
	if len(x.rollouts) == 0 {
		return
	}
	for number, r := range x.rollouts {
		if !before.promotions[number].ended() {
			x.watch(r)
		}
	}
}

// watch notes which targets of a rollout cannot take part.
func (x *Rollouts) watch(r *rollout) {
	in := x.checkout.inForce()
	x.watchDriven(r)
	for _, t := range r.stage.Targets {
		if in != nil && (in.Stage(r.stage.Name) == nil || !slices.Contains(in.Stage(r.stage.Name).Targets, t)) {
			r.left[t] = true
		}
		if !x.checkout.has(&r.stage, r.stage.File(t)) {
			r.lacked[t] = true
		}
	}
}

// mergeOf returns the merge by which a promotion has updated a target, if it has.
func (x *Rollouts) mergeOf(number int64, target string) (p githubsim.Pull, found bool) {
	for _, p := range slices.Backward(x.remote.merges()) {
		if numberOf(p.HeadBranch) == number && slices.Contains(x.remote.targetsIn(p), target) {
			return p, true
		}
	}
	return p, false
}

// ends is whatever CI says of a merge that may end the wait for it, though it is no success.
var ends = []string{"failure", "error", "timed_out", "skipped", "neutral", "inactive", "cancelled"}

// verified returns whether a target that a promotion has merged is good, by what CI has said or because nothing had to
// be said.
func (x *Rollouts) verified(r *rollout, target string, p githubsim.Pull) bool {
	if x.db.ruled(r.stage.Name) {
		return true
	}
	for _, m := range r.stage.Verify {
		_, good := x.evidence.said(&r.stage, target, m.Of(target), p.MergeSHA, "success")
		_, heard := x.evidence.said(&r.stage, target, m.Of(target), p.MergeSHA, ends...)
		if !good && !(m.Skipped == "pass" && heard) && !(m.Missing == "pass" && x.evidence.silentFor(p, m.Appear)) {
			return false
		}
	}
	return true
}

// failed returns whether a target may have been found bad.
func (x *Rollouts) failed(r *rollout, target string, p githubsim.Pull) bool {
	for _, m := range r.stage.Verify {
		if _, heard := x.evidence.said(&r.stage, target, m.Of(target), p.MergeSHA, ends...); heard || x.evidence.silentFor(p, m.Appear) {
			return true
		}
	}
	return false
}

// goesOn reports whether failures do not stop a rollout, or have not at some time.
func (x *Rollouts) goesOn(r *rollout) bool {
	in := x.checkout.inForce()
	return in == nil || in.Stage(r.stage.Name) == nil || in.Stage(r.stage.Name).Beyond == "continue"
}

// knownBad reports whether the program has been told of a failure on the very commit that has updated a target.
func (x *Rollouts) knownBad(r *rollout, target string, p githubsim.Pull) bool {
	return slices.ContainsFunc(r.stage.Verify, func(m shape.Matcher) bool {
		m = m.Of(target)
		last := x.signals.lastSaid(m, p.MergeSHA)
		return (last == "failure" || last == "error" || last == "timed_out") && !strings.Contains(m.Pattern, "*") &&
			x.db.count(`SELECT COUNT(*) FROM signals WHERE kind = ? AND sha = ? AND name = ? AND state = ?`, m.Kind, p.MergeSHA, m.Name(), last) > 0
	})
}

// baseOf is where the branch of a target was when a pull request was made, or is now, if that goes elsewhere.
func (x *Rollouts) baseOf(s *shape.Stage, target string, p githubsim.Pull) string {
	if at := s.AtOf(target); at != goesTo(p) {
		return at.Branch
	}
	return p.BaseSHA
}

// passedOver reports whether there is a reason for which a promotion has not updated a target: its file says so
// already, was not there, or has been changed by hand, the pipeline file has let go of it, somebody held it or left it
// out, or it was not to go there.
func (x *Rollouts) passedOver(r *rollout, target, at string) bool {
	text, _ := x.github.File(r.stage.AtOf(target).Repo, at, r.stage.File(target))
	promoted := x.db.seen.promotions[r.promotion]
	is, _ := r.stage.Form.Says(text, promoted.warehouse)
	s, known := x.sources.sourceOf(promoted)
	byHand := x.byHand.handled[r.stage.File(target)]
	if r.stage.Ready && x.signals.wasShown(target, false, r.at) {
		return true
	}
	if r.left[target] || r.lacked[target] || r.spared[target] || r.aside[target] || byHand.After(r.at) || known && r.stage.Form.Writes(s.value()) == is {
		return true
	}
	stands := map[string]string{}
	x.addStanding(promoted, stands)
	return !byHand.IsZero() && stands[target] != "" // nobody wants to know of drift: what was brought there last counts
}

// begun reports whether a rollout has come to a batch: what is said of the one before from then on comes too late.
func (x *Rollouts) begun(r *rollout, b shape.Batch) bool {
	return slices.ContainsFunc(r.stage.In(b), func(t string) bool {
		_, updated := x.mergeOf(r.promotion, t)
		return updated
	})
}

// judged is the first time at which there can have been a verdict on a target.
func (x *Rollouts) judged(r *rollout, target string, p githubsim.Pull) time.Time {
	at, good := x.evidence.proven(&r.stage, target, p.MergeSHA, p.MergedAt)
	for _, m := range r.stage.Verify {
		if bad, heard := x.evidence.said(&r.stage, target, m.Of(target), p.MergeSHA, ends...); heard && (!good || bad.Before(at)) {
			at, good = bad, true
		}
	}
	return at
}

// provenEverywhere returns since when all that a rollout has brought is good by what CI has said, and whether it is.
func (x *Rollouts) provenEverywhere(r *rollout, q promo) (since time.Time, good bool) {
	for _, t := range r.stage.Targets {
		merge, updated := x.lastMerge(r, q, t)
		switch {
		case r.left[t]:
		case updated:
			at, good := x.evidence.proven(&r.stage, t, merge.MergeSHA, merge.MergedAt)
			if !good {
				return since, false
			}
			if at.After(since) {
				since = at
			}
		case !x.passedOver(r, t, r.stage.AtOf(t).Branch):
			return since, false
		}
	}
	return since, true
}

// lastMerge returns the merge that has brought a promotion's freight to a target last: its own, or that of an earlier
// one.
func (x *Rollouts) lastMerge(r *rollout, q promo, target string) (p githubsim.Pull, found bool) {
	for _, p := range slices.Backward(x.remote.merges()) {
		n := numberOf(p.HeadBranch)
		if n <= q.number && x.db.seen.promotions[n].freight == q.freight && stageIn(p) == r.stage.Name && slices.Contains(x.remote.targetsIn(p), target) {
			return p, true
		}
	}
	return p, false
}

// addStanding adds what stands already of what a promotion is to bring, as long as it has brought nothing: targets that
// got the same freight last and are good, or that it does not go to. What somebody has changed since does not stand.
func (x *Rollouts) addStanding(p promo, states map[string]string) {
	last := map[string]string{}
	for _, row := range x.db.texts(`SELECT json_extract(value, '$.target') || ' ' || CASE
			WHEN y.freight <> ? OR instr(coalesce(y.drift, ''), json_extract(value, '$.target') || '.') > 0 THEN 'elsewhere'
			WHEN coalesce(json_extract(value, '$.verdict'), '') = 'passed' THEN 'verified'
			WHEN q.only_targets = 'null' OR instr(q.only_targets, '"' || json_extract(value, '$.target') || '"') > 0 THEN 'elsewhere'
			WHEN json_extract(value, '$.verdict') = 'failed' THEN 'failed' ELSE 'updating' END
		FROM promotions q JOIN stays y ON y.pipeline = q.pipeline AND y.stage = q.stage AND y.warehouse = q.warehouse, json_each(y.parts)
		WHERE q.number = ? ORDER BY y.entered_at, y.promotion`, p.freight, p.number) {
		t, state, _ := strings.Cut(row, " ")
		last[t] = state
	}
	for t, state := range last {
		if states[t] != "removed" && state != "elsewhere" {
			states[t] = state
		}
	}
}

// watchDriven notes which targets of a rollout have been held or left out at some time, and to which it did not go.
func (x *Rollouts) watchDriven(r *rollout) {
	p := x.db.seen.promotions[r.promotion]
	for _, t := range p.progress().Skipped {
		if !x.byHand.asked[r.stage.Name+"/"+t] {
			x.log.broken("no target is left out that nobody has left out", "%s of p%d", t, r.promotion)
		}
		r.spared[t] = true
	}
	for _, o := range x.db.seen.kept {
		r.spared[o.target] = r.spared[o.target] || o.stage == r.stage.Name
	}
	for _, t := range r.stage.Targets {
		r.aside[t] = r.aside[t] || !p.goesTo(t)
	}
}

// needs is how many people have to sign a pull request of ours off: those that the stage asks for the first of a
// promotion, and those that a batch asks for its first.
func (x *Rollouts) needs(s *shape.Stage, pull githubsim.Pull) (n int) {
	number := numberOf(pull.HeadBranch)
	before := slices.DeleteFunc(x.remote.ours("merged"), func(p githubsim.Pull) bool {
		return numberOf(p.HeadBranch) != number || p.HeadBranch == pull.HeadBranch
	})
	if len(before) == 0 {
		n = s.Approvals
	}
	r := x.rollouts[number]
	if r == nil {
		return n
	}
	in := func(p githubsim.Pull) int {
		for _, path := range x.remote.pathsOf(p) {
			if at := r.stage.BatchOf(shape.TargetOf(path)); at >= 0 {
				return at
			}
		}
		return -1
	}
	at := in(pull)
	if at >= 0 && !slices.ContainsFunc(before, func(p githubsim.Pull) bool { return in(p) == at }) {
		n = max(n, r.stage.Batches[at].Signed)
	}
	return n
}

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

	rollouts map[int64]*rollout // by the number of the promotion
}
