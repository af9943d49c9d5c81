package promotion

import (
	"slices"
	"time"
)

// What a stay says of targets: which merge brought its freight there, and what the signals of each say (SEMANTICS 5.4).

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
	for _, t := range p.Rollout.Targets {
		if w.target(t) != nil {
			s.Parts = append(s.Parts, w.part(p, &s, t, moved))
		}
	}
	w.useUp(p)
	i := w.stayOf(p.Number)
	if i < 0 {
		parts, wrote := w.kept(p)
		s.Parts, s.Wrote = append(parts, s.Parts...), append(wrote, s.Wrote...)
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
	at, found := w.latestParts(p)[name]
	if !found || at.stay.Freight != p.Freight {
		return part
	}
	was := at.stay.Parts[at.part]
	part.Commit, part.Since = was.Commit, was.Since
	if was.Verdict == Passed {
		part.Verdict, part.Judged = was.Verdict, was.Judged
	}
	return part
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
		if part.Verdict == Passed || part.Step == 0 {
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
		if part.Step == 0 || w.target(part.Target) == nil {
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
