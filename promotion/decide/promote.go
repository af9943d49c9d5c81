package decide

import (
	"cmp"
	"fmt"
	"slices"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/rollout"
)

// obeyPromote queues a promotion. One that is queued automatically becomes manual; freight that is open or hosted
// already is not promoted twice (Q16).
func obeyPromote(d *draft, r promotion.Request) {
	i, why := command.FreightMeant(&d.Snapshot, r, d.gate().Available)
	if i < 0 {
		d.refuse(r, why)
		return
	}
	f := &d.Freight[i]
	if why := d.bars(r, f); !why.IsZero() {
		d.refuse(r, why)
		return
	}
	open := d.OpenOf(f.ID)
	unavailable := d.unavailable(i)
	switch {
	case r.Command.Target != "":
		obeyPromoteTarget(d, r, f)
	case d.Stage.Strategy.External:
		d.refuse(r, promotion.Because(promotion.Malformed).
			With("this stage is driven target by target: /promote "+string(d.Stage.Name)+"/TARGET"))
	case open != nil && len(open.Only) > 0:
		extend(d, r, open, nil)
	case open != nil:
		insist(d, r, open)
	case hostsWell(&d.Snapshot, f):
		d.already(r)
	case !unavailable.IsZero() && mayWait(d, r, i):
		d.queued(r, promoteEarly(d, r, f))
	case !unavailable.IsZero():
		d.refuse(r, orWaits(d, r, i, unavailable))
	default:
		d.queued(r, promoteByHand(d, r, f))
	}
}

// orWaits adds to why freight is not available that it may wait for that, if it may.
func orWaits(d *draft, r promotion.Request, i int, unavailable promotion.Reason) promotion.Reason {
	if r.Command.Early = true; unavailable.Detail != "" || !mayWait(d, r, i) {
		return unavailable
	}
	return unavailable.With(promotion.MayWait)
}

// mayWait reports whether a person wants the i-th freight to wait until it is available, and nothing speaks against
// that: nobody has rejected it, and no newer freight of its warehouse has had a promotion here (Q19).
func mayWait(d *draft, r promotion.Request, i int) bool {
	f := &d.Freight[i]
	return r.Command.Early && d.gate().Rejected(i).IsZero() && !d.Mark(f.Warehouse).After(f)
}

// promoteEarly queues a promotion of freight that is not available yet.
func promoteEarly(d *draft, r promotion.Request, f *promotion.Freight) promotion.Number {
	return d.add(promotion.Promotion{Freight: f.Ref(), Class: promotion.Manual, By: r.By, Early: true})
}

// bars returns why the person who makes a request may not make it of this freight, which they have not named: it may be
// one in which they have a part.
func (d *draft) bars(r promotion.Request, f *promotion.Freight) promotion.Reason {
	r.Command.Freight = f.Name
	return command.Refusal(&d.Snapshot, r)
}

// unavailable returns why the i-th freight is not available, for whoever asks for it: before all else that a person has
// rejected it, because an admission does not pass that; the zero reason if it is available.
func (d *draft) unavailable(i int) promotion.Reason {
	why, _ := d.gate().Unavailable(i)
	if rejected := d.gate().Rejected(i); !why.IsZero() && !rejected.IsZero() {
		return rejected
	}
	return why
}

// hostsWell reports whether the stage hosts this freight everywhere, has not found it bad, its files still say so, and
// the pipeline file asks for the values that were written.
func hostsWell(s *promotion.Snapshot, f *promotion.Freight) bool {
	i := s.Hosted(f.Warehouse)
	return i >= 0 && s.Deployments[i].Freight == f.ID && s.Deployments[i].Verdict != promotion.Bad &&
		!s.Deployments[i].Incomplete && !s.Deployments[i].Drift.Stands() && len(s.Unwritten(&s.Deployments[i])) == 0
}

// promoteByHand queues a manual promotion. Automatic promotions of newer freight that wait give way, and once the older
// freight is merged the bot holds the stage (Q12).
func promoteByHand(d *draft, r promotion.Request, f *promotion.Freight) promotion.Number {
	pins := false
	for _, p := range d.Promotions {
		i := d.FreightAt(p.Freight.ID)
		if p.State == promotion.Queued && p.Class == promotion.Automatic && p.Freight.Warehouse == f.Warehouse &&
			i >= 0 && f.Before(d.Freight[i]) {
			d.end(p.Number, promotion.Superseded, asked(r))
			pins = true
		}
	}
	n := d.add(promotion.Promotion{Freight: f.Ref(),
		Class: promotion.Manual, By: r.By, Pins: pins})
	d.promoted(f)
	return n
}

// obeyCancel ends a promotion that waits, or runs and is not merged yet. A merged one can only be rolled back.
func obeyCancel(d *draft, r promotion.Request) {
	p, why := command.ToCancel(&d.Snapshot, r)
	switch {
	case !why.IsZero():
		d.refuse(r, why)
	case p == nil:
		d.already(r)
	case p.Rolls():
		n := p.Number
		preempt(d, p, r, asked(r))
		d.doneTo(r, n)
	case p.State == promotion.Verifying:
		why := merged(p)
		if backFrom(&d.Snapshot, d.Judgeable()) != "" {
			why.Detail = "/rollback " + string(d.Stage.Name) + " takes it back"
		}
		d.refuse(r, why)
	default:
		n := p.Number
		d.withdraw(n, promotion.Cancelled, asked(r))
		d.doneTo(r, n)
	}
}

// obeyRetry promotes failed freight again: a new promotion that names the old one as its cause.
func obeyRetry(d *draft, r promotion.Request) {
	failed := command.ToRetry(&d.Snapshot, r)
	i := -1
	if failed != nil {
		i = d.FreightAt(failed.Freight.ID)
	}
	if i < 0 {
		d.refuse(r, promotion.Because(promotion.Unknown, cmp.Or(r.Command.Freight, "failed promotion")).With(failedLast(d)))
		return
	}
	f := &d.Freight[i]
	if why := d.bars(r, f); !why.IsZero() {
		d.refuse(r, why)
		return
	}
	mayNot := command.MayNotAsk(d.Pipeline.Policy, failed, r.Permission, r.Teams)
	open := d.OpenOf(f.ID)
	unavailable, bad := d.unavailable(i), d.Rejected(d.Stage.Name, f)
	switch {
	case open != nil:
		d.queuedAlready(r, open.Number)
	case hostsWell(&d.Snapshot, f) && !rollout.Misses(&d.Snapshot, failed, f):
		d.already(r)
	case failed.Class == promotion.Rollback && !mayNot.IsZero():
		d.refuse(r, mayNot)
	case failed.Class == promotion.Rollback && bad != nil:
		d.refuse(r, bad.Because()) // it would only wait, and take back meanwhile what is newer
	case failed.Class == promotion.Rollback:
		rollBack(d, r, i, promotion.Promotion{By: r.By, Cause: failed.Number, Only: failed.Only})
	case !unavailable.IsZero():
		d.refuse(r, unavailable)
	default:
		cause, only := failed.Number, failed.Only
		n := promoteByHand(d, r, f)
		p := d.change(n)
		p.Cause, p.Only = cause, only
		d.queued(r, n)
	}
}

// failedLast says what a retry could repeat that was asked for elsewhere; "" if there is nothing.
func failedLast(d *draft) string {
	last := command.ToRetry(&d.Snapshot, promotion.Request{})
	if last == nil {
		return ""
	}
	return fmt.Sprintf("what failed last is %s: /retry %s %s", last.Freight.Name, last.Stage, last.Freight.Name)
}

// obeyPromoteTarget moves one target, in a promotion of its own or as part of one that goes to some targets already.
func obeyPromoteTarget(d *draft, r promotion.Request, f *promotion.Freight) {
	t := r.Command.Target
	open := d.OpenOf(f.ID)
	unavailable := d.unavailable(d.FreightAt(f.ID))
	spent := rollout.Spent(&d.Snapshot, f)
	switch {
	case open != nil && open.GoesTo(t):
		d.again(r, open)
	case open != nil:
		extend(d, r, open, append(slices.Clip(open.Only), t))
	case rollout.StandsIn(&d.Snapshot, f, t):
		d.already(r)
	case !spent.IsZero():
		d.refuse(r, spent)
	case !unavailable.IsZero() && mayWait(d, r, d.FreightAt(f.ID)):
		n := promoteEarly(d, r, f)
		d.change(n).Only = []promotion.TargetName{t}
		d.queued(r, n)
	case !unavailable.IsZero():
		d.refuse(r, orWaits(d, r, d.FreightAt(f.ID), unavailable))
	default:
		n := promoteByHand(d, r, f)
		d.change(n).Only = []promotion.TargetName{t}
		d.queued(r, n)
	}
}
