package promotion

import (
	"slices"
	"time"
)

// The steps of a rollout (SEMANTICS 5). Each is carried out as a whole promotion is in a stage without targets: one pull
// request, its merge, the verdict. Then comes the next.

// step returns the number of the step that is under way; 0 of a promotion without targets.
func (p *Promotion) step() int {
	if p.Rollout == nil {
		return 0
	}
	return p.Rollout.Step
}

// depart starts a promotion of a stage with targets. The batches are from now on those that the pipeline file has.
func (w *work) depart(n Number) {
	r := Rollout{Batches: w.Stage.Batches}
	step, _ := r.next(w.Stage, nil)
	w.change(n).Started = w.now
	w.take(n, step)
}

// take begins a step.
func (w *work) take(n Number, step Rollout) {
	w.change(n).Rollout = &step
	w.enter(n, Running, Because(Rolling, append([]string{step.BatchName()}, texts(step.Targets)...)...))
}

// useUp ends the sign-offs of what a step has merged: they are not of the next, and nobody needs to be told.
func (w *work) useUp(p *Promotion) {
	for _, a := range w.Approvals {
		if a.Kind == SignOff && a.Freight == p.Freight && a.Revoked.IsZero() {
			a.Revoked = w.now
			w.saveApproval(a)
		}
	}
}

// leaveOut takes those targets out of a step that cannot take part yet, as its plan has found, and returns the promotion.
func (w *work) leaveOut(p *Promotion, plan *Plan) *Promotion {
	if p.Rollout == nil || plan == nil || !slices.ContainsFunc(p.Rollout.Targets, plan.lacks) {
		return p
	}
	r := *p.Rollout
	r.Targets, r.Waiting = nil, slices.Clone(r.Waiting)
	for _, t := range p.Rollout.Targets {
		if plan.lacks(t) {
			r.Waiting = append(r.Waiting, t)
		} else {
			r.Targets = append(r.Targets, t)
		}
	}
	p = w.change(p.Number)
	p.Rollout = &r
	return p
}

// lacks reports whether a target cannot take part yet.
func (p *Plan) lacks(t TargetName) bool { return slices.Contains(p.Absent, t) }

// shrunk reports whether the pipeline file has let go of a target that the present step updates.
func (w *work) shrunk(p *Promotion) bool {
	return p.Rollout != nil && slices.ContainsFunc(p.Rollout.Targets, func(t TargetName) bool { return w.target(t) == nil })
}

// beginAgain leaves a step that is not merged because some of its targets are gone: its pull request is closed, and those
// that are still there get another one.
func (w *work) beginAgain(n Number, a Attempt) {
	p := w.promotion(n)
	if a.Plan != nil {
		gone := slices.DeleteFunc(slices.Clone(p.Rollout.Targets), func(t TargetName) bool { return w.target(t) != nil })
		w.close(n, Because(Removed, texts(gone)...))
	}
	w.goOn(n)
}

// goOn takes the next step of a rollout when the batch has rested and nothing stops it, or ends it when there is none.
func (w *work) goOn(n Number) {
	p, i := w.promotion(n), w.stayOf(n)
	step, more := p.Rollout.next(w.Stage, w.parts(n))
	if len(step.Gone) > len(p.Rollout.Gone) {
		known := *p.Rollout
		known.Gone = step.Gone
		p = w.change(n)
		p.Rollout = &known
	}
	switch {
	case !more && i < 0 && len(p.Rollout.Waiting) == 0:
		w.end(n, Cancelled, Because(Removed, texts(p.Rollout.Gone)...))
	case !more && i < 0:
		w.end(n, Failed, Because(Unreadable, texts(p.Rollout.Waiting)...).With("no target can take part yet"))
	case !more || len(step.Targets) == 0:
		w.finish(i, p)
	case w.rests(p, &step).After(w.now):
		w.rest(n)
		w.wakeAt(w.rests(p, &step))
	case i < 0 || w.mayGoOn(p).IsZero():
		w.take(n, step)
	default:
		w.rest(n)
	}
}

// rest leaves a rollout at what it has brought, until its next step may begin. The present one may have come to nothing,
// because none of its targets takes part any more.
func (w *work) rest(n Number) {
	if w.promotion(n).State != Verifying {
		w.enter(n, Verifying, Reason{})
	}
}

// rests returns until when the batch that is done rests before the next begins; the zero time if it does not.
func (w *work) rests(p *Promotion, next *Rollout) time.Time {
	r := p.Rollout
	if next.Batch == r.Batch || r.Batches[r.Batch].Wait == 0 {
		return time.Time{}
	}
	var done time.Time
	batch := setOf(r.Batches[r.Batch].Targets)
	for _, part := range w.parts(p.Number) {
		if batch[part.Target] && part.Judged.After(done) {
			done = part.Judged
		}
	}
	if done.IsZero() {
		return done // no target of it took part
	}
	return done.Add(r.Batches[r.Batch].Wait)
}

// mayGoOn returns why a rollout does not take its next step now; the zero reason if it may.
func (w *work) mayGoOn(p *Promotion) Reason {
	if r := w.stopped(p.Class); !r.IsZero() {
		return r
	}
	return w.failedUpstream(p)
}

// finish ends a rollout that has come to its end, or cannot go on. The freight is verified when every target that took
// part is (SEMANTICS 5.8). When more have failed than may, a person decides what becomes of the stage (5.5).
func (w *work) finish(i int, p *Promotion) {
	_, short := p.Rollout.next(w.Stage, w.Stays[i].Parts)
	w.ownStays()
	w.Stays[i].Short = short
	o := w.sum(i)
	w.conclude(i, p, o)
	if short || w.tooMany(i) {
		w.holdOnce(o.reason, p.Number)
	}
	w.pin(w.promotion(p.Number))
}

// tooMany reports whether more targets of a stay have failed than the stage goes on with.
func (w *work) tooMany(i int) bool {
	return w.Stage.Beyond != BeyondContinues && w.failures(i) > w.Stage.MaxFailures
}

// sum is what the targets of a stay say together.
func (w *work) sum(i int) opinion {
	all := opinion{verdict: Passed, at: w.Stays[i].Entered}
	for _, part := range w.Stays[i].Parts {
		all = all.and(opinion{verdict: part.Verdict, at: part.Judged, reason: part.Cause})
	}
	return all
}

// parts returns what a promotion has brought to which targets.
func (w *work) parts(n Number) []Part {
	if i := w.stayOf(n); i >= 0 {
		return w.Stays[i].Parts
	}
	return nil
}

// bring begins the stay of what a merge has brought, or adds to it what a further step has. moved says which files have
// been written: a target whose files said so already keeps the verdict that it was given for the same freight.
func (w *work) bring(p *Promotion, s Stay, moved []string) {
	if p.Rollout == nil {
		w.leave(p.Warehouse, s.Entered)
		w.arrive(s)
		return
	}
	for _, t := range p.Rollout.Targets {
		if w.target(t) != nil {
			s.Parts = append(s.Parts, w.part(p, &s, t, moved))
		}
	}
	w.useUp(p)
	i := w.stayOf(p.Number)
	if i < 0 {
		s.Short, s.Plan = true, ""
		w.leave(p.Warehouse, s.Entered)
		w.arrive(s)
		return
	}
	w.Reading = nil
	w.ownStays()
	stay := &w.Stays[i]
	stay.Commit = s.Commit
	stay.Parts = append(stay.Parts[:len(stay.Parts):len(stay.Parts)], s.Parts...)
	stay.Wrote = append(stay.Wrote[:len(stay.Wrote):len(stay.Wrote)], s.Wrote...)
	w.saveStay(i)
}

// part is what a step says of one of its targets.
func (w *work) part(p *Promotion, s *Stay, name TargetName, moved []string) Part {
	part := Part{Target: name, Step: p.Rollout.Step, Commit: s.Commit, Since: s.Since}
	if w.target(name).touchesAny(moved) {
		return part
	}
	if was := w.partBefore(p, name); was != nil {
		part.Commit, part.Since = was.Commit, was.Since
		if was.Verdict == Passed {
			part.Verdict, part.Judged = was.Verdict, was.Judged
		}
	}
	return part
}

// partBefore returns what an earlier promotion of the same freight has brought to a target, or nil.
func (w *work) partBefore(p *Promotion, name TargetName) *Part {
	for i := range slices.Backward(w.Stays) {
		if w.Stays[i].Freight != p.Freight || w.Stays[i].Promotion == p.Number {
			continue
		}
		for j := range w.Stays[i].Parts {
			if part := &w.Stays[i].Parts[j]; part.Target == name {
				return part
			}
		}
	}
	return nil
}

// touchesAny reports whether one of the paths is a file of the target.
func (t *Target) touchesAny(paths []string) bool {
	return slices.ContainsFunc(t.Changes, func(c Change) bool { return slices.Contains(paths, c.Path) })
}

// judgeStep judges the targets of a rollout one by one: those of the present step that are not decided, and those that
// have failed, which may have been mended.
func (w *work) judgeStep(i int, p *Promotion) {
	w.forgetGone(i)
	rest := opinion{verdict: Passed}
	for k := range w.Stays[i].Parts {
		part := &w.Stays[i].Parts[k]
		if part.Verdict == Passed {
			continue
		}
		o := w.judgePart(&w.Stays[i], part, p)
		switch {
		case o.decided() && o.verdict != part.Verdict:
			w.recordPart(i, k, o)
		case part.Verdict == Pending:
			rest = rest.and(o)
		}
	}
	switch {
	case w.tooMany(i):
		w.finish(i, p)
	case rest.verdict == Undecided:
		w.undecided(p, rest.reason)
	case rest.verdict == Passed:
		w.liftInconclusive(p.Number)
		w.goOn(p.Number)
	}
}

// forgetGone takes targets out of the i-th stay that the pipeline file has let go of before they had their verdict.
func (w *work) forgetGone(i int) {
	gone := func(part Part) bool { return part.Verdict == Pending && w.target(part.Target) == nil }
	if slices.ContainsFunc(w.Stays[i].Parts, gone) {
		w.ownStays()
		w.Stays[i].Parts = slices.DeleteFunc(slices.Clone(w.Stays[i].Parts), gone)
		w.keepStay(i)
	}
}

// judgePart is what the signals say of a target. Silence means something only while the promotion verifies it.
func (w *work) judgePart(stay *Stay, part *Part, verifies *Promotion) opinion {
	all := opinion{verdict: Passed, at: later(part.Since, stay.Entered)}
	for _, q := range w.questionsOf(stay, part) {
		o := q.opinion()
		if verifies != nil && part.Verdict == Pending && o.verdict == Pending && !w.clockStopped(verifies) {
			o = w.silence(verifies, q.matcher, o.seen)
		}
		all = all.and(o)
	}
	if all.at.After(w.now) {
		all.at = w.now
	}
	return all
}

// recordPart writes a verdict on a target.
func (w *work) recordPart(i, k int, o opinion) {
	w.ownStays()
	part := &w.Stays[i].Parts[k]
	part.Verdict, part.Judged, part.Cause = o.verdict, o.at, o.reason
	if o.at.IsZero() {
		part.Judged = w.now
	}
	w.keepStay(i)
}

// failures counts the targets of a stay that have failed.
func (w *work) failures(i int) int {
	n := 0
	for _, part := range w.Stays[i].Parts {
		if part.Verdict == Bad {
			n++
		}
	}
	return n
}

// judgePartsAgain judges the targets of freight whose promotion has ended.
func (w *work) judgePartsAgain(i int) {
	for k := range w.Stays[i].Parts {
		part := &w.Stays[i].Parts[k]
		if w.target(part.Target) == nil {
			continue
		}
		if o := w.judgePart(&w.Stays[i], part, nil); o.decided() && o.verdict != part.Verdict {
			w.recordPart(i, k, o)
		}
	}
	o := w.sum(i)
	if o.decided() && o.verdict != w.Stays[i].Verdict && (o.verdict == Bad || !w.Stays[i].Short) {
		w.record(i, o)
	}
}

// decided reports whether the opinion is a verdict that stands until there are other signals.
func (o opinion) decided() bool { return o.verdict == Passed || o.verdict == Bad }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// texts are names as the arguments of a reason.
func texts(targets []TargetName) []string {
	all := make([]string, len(targets))
	for i, t := range targets {
		all[i] = string(t)
	}
	return all
}
