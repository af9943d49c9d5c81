package decide

import (
	"cmp"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/rollout"
)

// obeyPromote queues a promotion. What is queued automatically becomes manual; what is open or hosted already is not
// done twice (Q16).
func (w *work) obeyPromote(r promotion.Request) {
	i, why := command.FreightMeant(&w.Snapshot, r, w.gate().Available)
	if i < 0 {
		w.refuse(r, why)
		return
	}
	f := &w.Freight[i]
	open := w.OpenOf(f.ID)
	unavailable, _ := w.gate().Unavailable(i)
	switch {
	case r.Command.Target != "":
		w.obeyPromoteTarget(r, f)
	case w.Stage.External:
		w.refuse(r, promotion.Because(promotion.Malformed).
			With("this stage is driven target by target: /promote "+string(w.Stage.Name)+"/TARGET"))
	case open != nil && len(open.Only) > 0:
		w.widen(open, nil)
		w.queued(r, open.Number)
	case open != nil:
		w.insist(r, open)
	case w.hostsWell(f):
		w.already(r)
	case !unavailable.IsZero():
		w.refuse(r, unavailable)
	default:
		w.queued(r, w.promoteByHand(r, f))
	}
}

// insist makes a queued automatic promotion a manual one.
func (w *work) insist(r promotion.Request, p *promotion.Promotion) {
	if p.State != promotion.Queued || p.Class != promotion.Automatic {
		w.queuedAlready(r, p.Number)
		return
	}
	p = w.change(p.Number)
	p.Class, p.By = promotion.Manual, r.By
	w.out.Log = append(w.out.Log, promotion.Entry{At: w.now, Stage: p.Stage, Promotion: p.Number,
		Class: promotion.Manual, By: r.By})
	w.queued(r, p.Number)
}

// hostsWell reports whether the stage hosts this freight everywhere, has not found it bad, and its files still say so.
func (w *work) hostsWell(f *promotion.Freight) bool {
	i := w.Hosted(f.Warehouse)
	return i >= 0 && w.Stays[i].Freight == f.ID && w.Stays[i].Verdict != promotion.Bad && !w.Stays[i].Short &&
		!w.Stays[i].Drift.Stands()
}

// promoteByHand queues a manual promotion. Automatic promotions of newer freight that wait give way, and once the older
// freight is merged the bot holds the stage (Q12).
func (w *work) promoteByHand(r promotion.Request, f *promotion.Freight) promotion.Number {
	pins := false
	for _, p := range w.Promotions {
		i := w.FreightAt(p.Freight)
		if p.State == promotion.Queued && p.Class == promotion.Automatic && p.Warehouse == f.Warehouse &&
			i >= 0 && f.Before(w.Freight[i]) {
			w.end(p.Number, promotion.Superseded, asked(r))
			pins = true
		}
	}
	n := w.add(promotion.Promotion{Warehouse: f.Warehouse, Freight: f.ID, FreightName: f.Name,
		Class: promotion.Manual, By: r.By, Pins: pins})
	w.promoted(f)
	return n
}

// obeyCancel ends what waits, or what runs and is not merged yet. What is merged can only be rolled back.
func (w *work) obeyCancel(r promotion.Request) {
	switch p := command.ToCancel(&w.Snapshot, r); {
	case p == nil:
		w.already(r)
	case p.Rolls():
		w.preempt(p, r, asked(r))
		w.done(r)
	case p.State == promotion.Verifying:
		w.refuse(r, behind(p).With("it is merged already"))
	default:
		w.withdraw(p.Number, promotion.Cancelled, asked(r))
		w.done(r)
	}
}

// obeyRetry promotes again what failed: a new promotion that names the old one as its cause.
func (w *work) obeyRetry(r promotion.Request) {
	failed := command.ToRetry(&w.Snapshot, r)
	i := -1
	if failed != nil {
		i = w.FreightAt(failed.Freight)
	}
	if i < 0 {
		w.refuse(r, promotion.Because(promotion.Unknown, cmp.Or(r.Command.Freight, "failed promotion")))
		return
	}
	f := &w.Freight[i]
	open := w.OpenOf(f.ID)
	unavailable, _ := w.gate().Unavailable(i)
	switch {
	case open != nil:
		w.queuedAlready(r, open.Number)
	case w.hostsWell(f) && !rollout.Misses(&w.Snapshot, failed, f):
		w.already(r)
	case failed.Class == promotion.Rollback:
		w.rollBack(r, i, failed.Number)
	case !unavailable.IsZero():
		w.refuse(r, unavailable)
	default:
		cause, only := failed.Number, failed.Only
		n := w.promoteByHand(r, f)
		p := w.change(n)
		p.Cause, p.Only = cause, only
		w.queued(r, n)
	}
}
