package decide

import (
	"slices"
	"time"
	"waybill/promotion"
	"waybill/promotion/rollout"
)

// conditional reports whether a target must show something.
func (w *work) conditional(name promotion.TargetName) bool {
	t := w.Target(name)
	return t != nil && len(t.Ready) > 0
}

// asks reports whether a target must show something before a promotion goes there. Rollbacks do not ask: what they are to mend
// may be why it does not show it.
func (w *work) asks(p *promotion.Promotion, t promotion.TargetName) bool {
	return p.Class != promotion.Rollback && w.conditional(t)
}

// sure reports whether what is known of the targets may be decided upon, for a time after GitHub's answer. If not, GitHub
// must be asked.
func (w *work) sure(lasts time.Duration) bool {
	return w.Answered() && !w.Readiness.Stale && w.now.Sub(w.Readiness.At) < lasts
}

// sureEnough is sure for what waits, and may do so with an older answer; it returns until when that one will do.
func (w *work) sureEnough() (sure bool, until time.Time) {
	if !w.Answered() || !w.sure(w.Readiness.Patience()) {
		return false, until
	}
	return true, w.Readiness.At.Add(w.Readiness.Patience())
}

// wantProbe asks GitHub what the targets show, where that would decide something.
func (w *work) wantProbe() {
	if w.probes == 0 {
		return
	}
	e := promotion.Effect{Verb: promotion.Probe, Promotion: w.probes}
	if w.Readiness != nil {
		e.Round = w.Readiness.Asked // one for each answer
	}
	w.wanted(e)
}

// informed reports whether enough is known of the targets that a promotion comes to next: those of its next step, and
// those that cannot take part in it. If not, GitHub must be asked. It need not be known of others.
func (w *work) informed(p *promotion.Promotion, targets, waiting []promotion.TargetName) bool {
	asks := func(t promotion.TargetName) bool { return w.asks(p, t) }
	return !slices.ContainsFunc(slices.Concat(targets, waiting), asks) || w.sure(promotion.NewsLasts)
}

// noneReady returns why a promotion does not start though nothing else is in its way: no target that it goes to is ready,
// or that is not known; the zero reason if it may start.
func (w *work) noneReady(p *promotion.Promotion) (promotion.Reason, outlook) {
	if w.Lookup().Conditions == 0 {
		return promotion.Reason{}, outlook{}
	}
	step, more := w.stepAfter(p, &promotion.Rollout{Batches: w.Stage.Batches}, rollout.Kept(&w.Snapshot, p))
	asked := slices.DeleteFunc(step.Waiting, func(t promotion.TargetName) bool { return !w.conditional(t) })
	if more && w.informed(p, step.Targets, step.Waiting) || !more && len(asked) == 0 {
		return promotion.Reason{}, outlook{}
	}
	sure, until := w.sureEnough()
	if more || !sure {
		return promotion.Because(promotion.Waiting), outlook{probes: p.Number}
	}
	why := promotion.Because(promotion.NotReady)
	for _, t := range asked {
		why.Args = append(why.Args, w.Lacks(t).Args...)
	}
	return why, outlook{until: until}
}
