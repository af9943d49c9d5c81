package decide

import (
	"strconv"
	"waybill/promotion"
)

// wantMerge brings the open pull request of a promotion to its merge: a new commit when it conflicts with its base, a
// merge when nothing stands in the way.
func (w *work) wantMerge(p *promotion.Promotion, a promotion.Attempt) {
	pull := w.Pull(a)
	switch {
	case pull == nil:
		return
	case a.Plan != nil && a.Plan.Round > a.Built:
		w.wantOpen(p, a)
	case a.Conflicts(pull):
		w.wantPlan(p, a)
	case pull.Queue == promotion.InQueue && w.Stage.Merge != promotion.MergeManual && !w.stays(p).IsZero():
		w.wanted(promotion.Effect{Verb: promotion.Dequeue, Promotion: p.Number, Round: pull.Revision})
	case w.unmerged(p).IsZero():
		w.wanted(promotion.Effect{Verb: promotion.Merge, Promotion: p.Number, Round: pull.Revision})
	}
}

// unmerged returns why we do not merge an open pull request now; the zero reason if we do. A merge that GitHub refused
// is tried again when something has happened that could have changed its mind, never in a loop (semantics 7.6).
func (w *work) unmerged(p *promotion.Promotion) promotion.Reason {
	a := w.Attempt(p.Number)
	pull := w.Pull(a)
	switch {
	case pull == nil:
		return promotion.Because(promotion.Waiting)
	case pull.HeadSHA != a.HeadSHA || w.astray(pull):
		return promotion.Because(promotion.PlanChanged)
	}
	if r := w.stays(p); !r.IsZero() {
		return r
	}
	switch {
	case pull.Queue == promotion.InQueue:
		return promotion.Because(promotion.Enqueued)
	case w.Stage.Merge == promotion.MergeManual:
		return promotion.Because(promotion.ToBeMerged)
	case a.Unmergeable != "" && a.Tried >= pull.Revision:
		return promotion.Because(promotion.Unmergable, a.Unmergeable)
	}
	return promotion.Reason{}
}

// stays returns why an open pull request must not be merged, by nobody whom we can keep from it; the zero reason if it may.
func (w *work) stays(p *promotion.Promotion) promotion.Reason {
	if r := w.stopped(p.Class); !r.IsZero() {
		return r
	}
	if r := p.Paused(); !r.IsZero() {
		return r
	}
	if r := w.failedUpstream(p); !r.IsZero() {
		return r // it was good when it started
	}
	if missing := w.unsigned(p); missing > 0 {
		return promotion.Because(promotion.Unapproved, strconv.Itoa(missing))
	}
	return promotion.Reason{}
}
