package promotion

import (
	"cmp"
	"strconv"
	"strings"
)

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
	case pull.Queue == InQueue && w.Stage.Merge != MergeManual && !w.stays(p).IsZero():
		w.wanted(Effect{Verb: Dequeue, Promotion: p.Number, Round: pull.Revision})
	case w.unmerged(p).IsZero():
		w.wanted(Effect{Verb: Merge, Promotion: p.Number, Round: pull.Revision})
	}
}

// unmerged returns why we do not merge an open pull request now; the zero reason if we do. A merge that GitHub refused
// is tried again when something has happened that could have changed its mind, never in a loop (semantics 7.6).
func (w *work) unmerged(p *Promotion) Reason {
	a := w.attempt(p.Number)
	pull := w.pull(a)
	switch {
	case pull == nil:
		return Because(Waiting)
	case pull.HeadSHA != a.HeadSHA || w.astray(pull):
		return Because(PlanChanged)
	}
	if r := w.stays(p); !r.IsZero() {
		return r
	}
	switch {
	case pull.Queue == InQueue:
		return Because(Enqueued)
	case w.Stage.Merge == MergeManual:
		return Because(ToBeMerged)
	case a.Unmergeable != "" && a.Tried >= pull.Revision:
		return Because(Unmergable, a.Unmergeable)
	}
	return Reason{}
}

// stays returns why an open pull request must not be merged, by nobody whom we can keep from it; the zero reason if it may.
func (w *work) stays(p *Promotion) Reason {
	if r := w.stopped(p.Class); !r.IsZero() {
		return r
	}
	if r := p.paused(); !r.IsZero() {
		return r
	}
	if r := w.failedUpstream(p); !r.IsZero() {
		return r // it was good when it started
	}
	if missing := w.unsigned(p); missing > 0 {
		return Because(Unapproved, strconv.Itoa(missing))
	}
	return Reason{}
}

// dequeued says why GitHub took a pull request out of its merge queue, by the reason that it gives.
var dequeued = map[string]string{
	"CI_FAILURE": "its checks failed there", "CI_TIMEOUT": "its checks took too long there", "MERGE_CONFLICT": "it conflicts with what is ahead of it there",
	"BRANCH_PROTECTIONS": "the rules of the branch are not met", "QUEUE_CLEARED": "the queue was cleared",
}

// Dequeued says that GitHub took a pull request out of its merge queue, for a reason that it gives or because somebody asked.
func Dequeued(reason string, by Actor) string {
	why := dequeued[reason]
	if reason == "MANUAL" {
		why = "by " + string(by.Login)
	}
	return "it was taken out of the merge queue" + after(": ", cmp.Or(why, strings.ToLower(strings.ReplaceAll(reason, "_", " "))))
}
