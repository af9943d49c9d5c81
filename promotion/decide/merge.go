package decide

import (
	"time"
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
	case pull.Queue == promotion.InQueue && w.Stage.Merge != promotion.MergeManual &&
		!w.note(w.gate.Withheld(p)).IsZero():
		w.wanted(promotion.Effect{Verb: promotion.Dequeue, Promotion: p.Number, Round: pull.Revision})
	case w.note(w.unmerged(p)).IsZero():
		w.wanted(promotion.Effect{Verb: promotion.Merge, Promotion: p.Number, Round: pull.Revision})
	}
}

// unmerged returns why we do not merge an open pull request now, and until when a clock alone keeps us from it; the
// zero reason if we do. A merge that GitHub refused is tried again when something has happened that could have changed
// its mind, never in a loop (semantics 7.6).
func (w *work) unmerged(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	a := w.Attempt(p.Number)
	pull := w.Pull(a)
	switch {
	case pull == nil:
		return promotion.Because(promotion.Waiting), until
	case pull.HeadSHA != a.HeadSHA || w.astray(pull):
		return promotion.Because(promotion.PlanChanged), until
	}
	if why, until := w.gate.Withheld(p); !why.IsZero() {
		return why, until
	}
	switch {
	case pull.Queue == promotion.InQueue:
		why = promotion.Because(promotion.Enqueued)
	case w.Stage.Merge == promotion.MergeManual:
		why = promotion.Because(promotion.ToBeMerged)
	case a.Unmergeable != "" && a.Tried >= pull.Revision:
		why = promotion.Because(promotion.Unmergable, a.Unmergeable)
	}
	return why, until
}
