package promotion

import "strconv"

// wantMerge brings the open pull request of a promotion to its merge: a new commit when it conflicts with its base, a
// merge when nothing stands in the way.
func (w *work) wantMerge(p *Promotion, a Attempt) {
	pull := w.pull(a)
	switch {
	case pull == nil:
		return
	case a.Plan != nil && a.Plan.Round > a.Built:
		w.wantOpen(p, a)
	case a.conflicts(pull):
		w.wantPlan(p, a)
	case w.unmerged(p).IsZero():
		w.wanted(Effect{Verb: Merge, Promotion: p.Number, Round: pull.Revision})
	}
}

// unmerged returns why we do not merge an open pull request now; the zero reason if we do. A merge that GitHub refused
// is tried again when something has happened that could have changed its mind, never in a loop (SEMANTICS 7.6).
func (w *work) unmerged(p *Promotion) Reason {
	a := w.attempt(p.Number)
	pull := w.pull(a)
	switch {
	case pull == nil:
		return Because(Waiting)
	case pull.HeadSHA != a.HeadSHA || w.astray(pull):
		return Because(PlanChanged)
	}
	if r := w.stopped(p.Class); !r.IsZero() {
		return r
	}
	if r := w.failedUpstream(p); !r.IsZero() {
		return r // it was good when it started
	}
	switch missing := w.unsigned(p); {
	case missing > 0:
		return Because(Unapproved, strconv.Itoa(missing))
	case w.Stage.Merge == MergeManual:
		return Because(ToBeMerged)
	case a.Unmergeable != "" && a.Tried >= pull.Revision:
		return Because(Unmergable, a.Unmergeable)
	}
	return Reason{}
}
