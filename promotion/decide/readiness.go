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
// is asked on behalf of a promotion.
func (w *work) sure(n promotion.Number, lasts time.Duration) bool {
	if w.Answered() && !w.Readiness.Stale && w.now.Sub(w.Readiness.At) < lasts {
		return true
	}
	w.asker = n
	return false
}

// sureEnough is sure for those who wait: they have patience. When that is over, somebody looks again.
func (w *work) sureEnough(n promotion.Number) bool {
	if !w.Answered() || !w.sure(n, w.Readiness.Patience()) {
		w.asker = n
		return false
	}
	w.wakeAt(w.Readiness.At.Add(w.Readiness.Patience()))
	return true
}

// wantProbe asks GitHub what the targets show, where that would decide something.
func (w *work) wantProbe() {
	if w.asker == 0 {
		return
	}
	e := promotion.Effect{Verb: promotion.Probe, Promotion: w.asker}
	if w.Readiness != nil {
		e.Round = w.Readiness.Asked // one for each answer
	}
	w.wanted(e)
}

// informed reports whether enough is known of the targets that a promotion comes to next: those of its next step, and
// those that cannot take part in it. It need not be known of others.
func (w *work) informed(p *promotion.Promotion, targets, waiting []promotion.TargetName) bool {
	asks := func(t promotion.TargetName) bool { return w.asks(p, t) }
	return !slices.ContainsFunc(slices.Concat(targets, waiting), asks) || w.sure(p.Number, promotion.NewsLasts)
}

// noneReady returns why a promotion does not start though nothing else is in its way: no target that it goes to is ready,
// or nobody knows; the zero reason if it may start.
func (w *work) noneReady(p *promotion.Promotion) promotion.Reason {
	if w.Lookup().Conditions == 0 {
		return promotion.Reason{}
	}
	step, more := w.stepAfter(p, &promotion.Rollout{Batches: w.Stage.Batches}, rollout.Kept(&w.Snapshot, p))
	asked := slices.DeleteFunc(step.Waiting, func(t promotion.TargetName) bool { return !w.conditional(t) })
	switch {
	case more && w.informed(p, step.Targets, step.Waiting), !more && len(asked) == 0:
		return promotion.Reason{}
	case more || !w.sureEnough(p.Number):
		return promotion.Because(promotion.Waiting)
	}
	why := promotion.Because(promotion.NotReady)
	for _, t := range asked {
		why.Args = append(why.Args, w.Lacks(t).Args...)
	}
	return why
}
