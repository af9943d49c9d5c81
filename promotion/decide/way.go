package decide

import (
	"time"

	"waybill/promotion"
	"waybill/promotion/deliver"
	"waybill/promotion/gate"
)

// wayOf returns the way in which a promotion is delivered, and its case.
func wayOf(s *promotion.Snapshot, p *promotion.Promotion) (deliver.Way, deliver.Case) {
	a := s.Attempt(p.Number)
	c := deliver.Case{
		Promotion: p, Attempt: a, Pull: s.Pull(a), Branch: s.Pipeline.FilesOfStep(s.Stage, p).Name, Merge: s.Stage.Merge.By,
	}
	if p.State == promotion.Running || p.State == promotion.WaitingForMerge {
		c.Replaced = !s.Removed && a.Replaced(s.Stage.During(p))
	}
	return deliver.Of(s.Stage.Delivery, c), c
}

// gatesFor asks the gates whether a promotion may go on. They look at a copy of the snapshot: a decision that no way to
// deliver may keep is not allocated.
func gatesFor(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) deliver.Gates {
	own := *s
	k := gate.KeeperOf(&own, now)
	return func(step promotion.Verb) (promotion.Reason, time.Time) {
		if step == promotion.Open {
			return k.Stays(p)
		}
		return k.Withheld(p)
	}
}

// whyUndelivered returns why a promotion that has started is not merged, committed or started now, and until when a
// clock alone keeps it from that; the zero reason if it is.
func whyUndelivered(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) (promotion.Reason, time.Time) {
	way, c := wayOf(s, p)
	c.Now = now
	return way.Why(c, gatesFor(s, p, now))
}

// writing reports whether a promotion's commit is being put on the branch, or its workflow is being started, and it is
// not known yet whether it is there; or it was merged, and it is not known yet what that brought. Nothing may end the
// promotion then: it would say that nothing has been done.
func writing(s *promotion.Snapshot, p *promotion.Promotion) bool {
	if p == nil || p.State != promotion.Running && p.State != promotion.WaitingForMerge {
		return false
	}
	a := s.Attempt(p.Number)
	if p.State == promotion.Running && a.Underway() {
		return true
	}
	on := s.Pull(a)
	return on != nil && on.State == promotion.PullMerged
}
