package decide

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"waybill/promotion"
	"waybill/promotion/rollout"
)

// obeyPromote queues a promotion. What is queued automatically becomes manual; what is open or hosted already is not
// done twice (Q16).
func (w *work) obeyPromote(r promotion.Request) {
	i, why := w.meant(r)
	if i < 0 {
		w.refuse(r, why)
		return
	}
	f := &w.Freight[i]
	open := w.open(f.ID)
	unavailable, _ := w.gate().Unavailable(i)
	switch {
	case r.Command.Target != "":
		w.obeyPromoteTarget(r, f)
	case w.Stage.External:
		w.refuse(r, promotion.Because(promotion.Malformed).With("this stage is driven target by target: /promote "+string(w.Stage.Name)+"/TARGET"))
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
	w.out.Log = append(w.out.Log, promotion.Entry{At: w.now, Stage: p.Stage, Promotion: p.Number, Class: promotion.Manual, By: r.By})
	w.queued(r, p.Number)
}

// hostsWell reports whether the stage hosts this freight everywhere, has not found it bad, and its files still say so.
func (w *work) hostsWell(f *promotion.Freight) bool {
	i := w.Hosted(f.Warehouse)
	return i >= 0 && w.Stays[i].Freight == f.ID && w.Stays[i].Verdict != promotion.Bad && !w.Stays[i].Short && !w.Stays[i].Drift.Stands()
}

// promoteByHand queues a manual promotion. Automatic promotions of newer freight that wait give way, and once the older
// freight is merged the bot holds the stage (Q12).
func (w *work) promoteByHand(r promotion.Request, f *promotion.Freight) promotion.Number {
	pins := false
	for _, p := range w.Promotions {
		i := w.FreightAt(p.Freight)
		if p.State == promotion.Queued && p.Class == promotion.Automatic && p.Warehouse == f.Warehouse && i >= 0 && f.Before(w.Freight[i]) {
			w.end(p.Number, promotion.Superseded, asked(r))
			pins = true
		}
	}
	n := w.add(promotion.Promotion{Warehouse: f.Warehouse, Freight: f.ID, FreightName: f.Name, Class: promotion.Manual, By: r.By, Pins: pins})
	w.promoted(f)
	return n
}

// open returns the promotion of this freight that has not ended, or nil.
func (w *work) open(f promotion.FreightID) *promotion.Promotion {
	for i := range w.Promotions {
		if w.Promotions[i].Freight == f && !w.Promotions[i].State.Ended() {
			return &w.Promotions[i]
		}
	}
	return nil
}

// Meant returns the freight that a request means: the one it names, that of the pull request it stands on, or the newest
// available. Otherwise it returns why there is none.
func Meant(s *promotion.Snapshot, r promotion.Request, now time.Time) (promotion.FreightID, promotion.Reason) {
	w := newWork(s, now)
	i, why := w.meant(r)
	if i < 0 {
		return "", why
	}
	return w.Freight[i].ID, promotion.Reason{}
}

// meant returns the index of the freight that a request means: the one it names, that of the pull request it stands on,
// or the newest available; -1 with the reason if there is none.
func (w *work) meant(r promotion.Request) (int, promotion.Reason) {
	if name := r.Command.Freight; name != "" {
		if i := w.named(name); i >= 0 {
			return i, promotion.Reason{}
		}
		return -1, unknown(r, name)
	}
	for i := range w.Freight {
		if r.StandsOn(&w.Freight[i]) {
			return i, promotion.Reason{}
		}
	}
	newest := -1
	for i := range w.Freight {
		if (newest < 0 || w.Freight[newest].Before(w.Freight[i])) && w.gate().Available(i) {
			newest = i
		}
	}
	if newest < 0 {
		return -1, unknown(r, "freight")
	}
	return newest, promotion.Reason{}
}

// Newest returns the newest freight of the stage's warehouses, whether it may go there or not; empty if there is none.
func Newest(s *promotion.Snapshot) promotion.FreightID {
	newest := -1
	for i := range s.Freight {
		if newest < 0 || s.Freight[newest].Before(s.Freight[i]) {
			newest = i
		}
	}
	if newest < 0 {
		return ""
	}
	return s.Freight[newest].ID
}

// concerns reports whether a request was made on a pull request of this promotion: the one that its freight was, or its
// own.
func (w *work) concerns(r promotion.Request, p *promotion.Promotion) bool {
	if i := w.FreightAt(p.Freight); i >= 0 && r.StandsOn(&w.Freight[i]) {
		return true
	}
	pull := w.Pull(w.Attempt(p.Number))
	return pull != nil && pull.Number == r.Pull && pull.Repo == r.PullRepo
}

// named returns the index of the freight with that name, pull request number or commit, or -1.
func (w *work) named(name string) int {
	for i := len(w.Freight) - 1; i >= 0; i-- {
		f := &w.Freight[i]
		if f.Name == name || f.Pull != 0 && promotion.PullRef(f.Pull) == name || len(name) >= 7 && strings.HasPrefix(string(f.SHA), name) {
			return i
		}
	}
	return -1
}

// obeyCancel ends what waits, or what runs and is not merged yet. What is merged can only be rolled back.
func (w *work) obeyCancel(r promotion.Request) {
	switch p := w.toCancel(r); {
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

// toCancel returns the promotion that a cancel means: the one that it stands on, else the first that waits, else the one
// that runs; nil if there is none.
func (w *work) toCancel(r promotion.Request) *promotion.Promotion {
	var first *promotion.Promotion
	for i := range w.Promotions {
		p := &w.Promotions[i]
		switch {
		case p.State.Ended() || p.State == promotion.Verifying && !p.Rolls():
		case w.concerns(r, p):
			return p
		case p.State == promotion.Queued && (first == nil || goesBefore(p, first)):
			first = p
		}
	}
	if first == nil {
		return w.Active()
	}
	return first
}

// obeyRetry promotes again what failed: a new promotion that names the old one as its cause.
func (w *work) obeyRetry(r promotion.Request) {
	failed := w.failed(r)
	i := -1
	if failed != nil {
		i = w.FreightAt(failed.Freight)
	}
	if i < 0 {
		w.refuse(r, unknown(r, cmp.Or(r.Command.Freight, "failed promotion")))
		return
	}
	f := &w.Freight[i]
	open := w.open(f.ID)
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

// failed returns the promotion that failed last, of those of the freight that a request names, or of those that it stands on
// if there are any; nil if none has. What was cancelled has not failed.
func (w *work) failed(r promotion.Request) *promotion.Promotion {
	var last *promotion.Promotion
	for i := range slices.Backward(w.Promotions) {
		p := &w.Promotions[i]
		if p.State != promotion.Failed && p.State != promotion.Declined && p.State != promotion.VerificationFailed {
			continue
		}
		if name := r.Command.Freight; name != "" && name != p.FreightName {
			continue
		}
		if w.concerns(r, p) {
			return p
		}
		if last == nil {
			last = p
		}
	}
	return last
}
