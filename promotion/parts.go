package promotion

import (
	"slices"
	"time"
)

// What a stay says of targets: which merge brought its freight there, and what the signals of each say (semantics 5.4).

// sum is what the targets of a stay say together.
func (w *work) sum(i int) opinion {
	all := opinion{verdict: Passed, at: w.Stays[i].Entered}
	for _, part := range w.Stays[i].Parts {
		all = all.and(opinion{verdict: part.Verdict, at: part.Judged, reason: part.Cause})
	}
	return all
}

// bring begins the stay of what a merge has brought, or adds to it what a further step has. moved says which files have
// been written: a target whose files said so already keeps the verdict that it was given for the same freight.
func (w *work) bring(p *Promotion, s Stay, moved []string) {
	if p.Rollout == nil {
		w.leave(p.Warehouse, s.Entered)
		w.arrive(s)
		return
	}
	latest := w.latestParts(p)
	for _, t := range p.Rollout.Targets {
		if w.target(t) != nil {
			s.Parts = append(s.Parts, w.part(p, &s, latest[t], t, moved))
		}
	}
	w.useUp(p)
	i := w.stayOf(p.Number)
	if i < 0 {
		step := setOf(p.Rollout.Targets)
		kept := slices.DeleteFunc(w.kept(p), func(part Part) bool { return step[part.Target] }) // it has been found good meanwhile
		s.Parts, s.Wrote = append(kept, s.Parts...), append(w.writtenAt(kept, p), s.Wrote...)
		s.Short, s.Plan = true, ""
		w.leave(p.Warehouse, s.Entered)
		w.arrive(s)
		return
	}
	w.Readings = nil
	w.ownStays()
	stay := &w.Stays[i]
	stay.Commit = s.Commit
	stay.Parts = append(stay.Parts[:len(stay.Parts):len(stay.Parts)], s.Parts...)
	stay.Wrote = append(stay.Wrote[:len(stay.Wrote):len(stay.Wrote)], s.Wrote...)
	w.saveStay(i)
}

// part is what a step says of one of its targets. last is what was brought there before, if anything was.
func (w *work) part(p *Promotion, s *Stay, last place, name TargetName, moved []string) Part {
	part := Part{Target: name, Step: p.Rollout.Step, Commit: s.Commit, Since: s.Since}
	if w.target(name).touchesAny(moved) {
		return part
	}
	if last.stay == nil || last.stay.Freight != p.Freight {
		return part
	}
	was := last.stay.Parts[last.part]
	part.Commit, part.Since = was.Commit, was.Since
	if was.Verdict == Passed {
		part.Verdict, part.Judged = was.Verdict, was.Judged
	}
	return part
}

// touchesAny reports whether one of the paths is a file of the target, or lies in a folder of it.
func (t *Target) touchesAny(paths []string) bool {
	own := Stage{Changes: t.Changes, Copies: t.Copies}
	return own.touchesAny(paths)
}

// judgeTargets judges the targets of a rollout one by one, those that are not decided and those that have failed, which may
// have been mended, and goes on when all are decided. Where each target has a pull request of its own, the next is opened as
// soon as there is a place.
func (w *work) judgeTargets(i int, p *Promotion) {
	w.forgetGone(i)
	rest := w.judgeParts(i, p)
	switch {
	case w.tooMany(i):
		w.breakOff(i, p)
	case p.State != Verifying: // the next step is on its way
	case rest.verdict == Undecided:
		w.undecided(p, rest.reason)
	case rest.verdict == Passed:
		w.liftInconclusive(p.Number)
		w.goOn(p.Number)
	case w.Stage.PerTarget && w.hasPlace(p):
		w.goOn(p.Number)
	}
}

// hasPlace reports whether a further target of the present batch may be updated while others are verified.
func (w *work) hasPlace(p *Promotion) bool {
	step, _ := w.nextStep(p)
	return len(step.Targets) > 0 && !w.clockStopped(p)
}

// breakOff ends a rollout in which more targets have failed than may, and closes what is open. A commit that is being put on
// the branch is waited for.
func (w *work) breakOff(i int, p *Promotion) {
	if w.writing(p) {
		return
	}
	if p.State != Verifying && w.attempt(p.Number).Plan != nil {
		w.close(p.Number, w.sum(i).reason)
	}
	w.finish(i, p)
}

// judgeParts writes down what the signals say of each target, and returns what they say of those that are not decided.
func (w *work) judgeParts(i int, p *Promotion) opinion {
	rest := opinion{verdict: Passed}
	var verifies *Promotion
	if p.State == Verifying {
		verifies = p
	}
	for k := range w.Stays[i].Parts {
		part := &w.Stays[i].Parts[k]
		if part.Verdict == Passed || part.Step == 0 || part.judgedByPerson() || w.target(part.Target) == nil {
			continue
		}
		o := w.judgePart(&w.Stays[i], part, verifies)
		switch {
		case o.decided() && o.verdict != part.Verdict:
			w.recordPart(i, k, o)
		case part.Verdict == Pending:
			rest = rest.and(o)
		}
	}
	return rest
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
	t, judged := w.judge.trialOfPart(part)
	if !judged {
		return all
	}
	matchers := t.Matchers()
	for i := range matchers {
		o := w.judge.opinion(&t, &matchers[i])
		if verifies != nil && part.Verdict == Pending && o.verdict == Pending && !w.clockStopped(verifies) {
			o = w.silence(w.since(verifies, part.Since), &matchers[i], o.seen)
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
		if part.Step == 0 || part.judgedByPerson() || w.target(part.Target) == nil {
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

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
