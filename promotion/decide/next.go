package decide

import (
	"time"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// next returns the promotion to start now, or nil. One that is first in line but may not start lets others pass.
func next(s *promotion.Snapshot, now time.Time) (first *promotion.Promotion, o outlook) {
	for i := range s.Promotions {
		p := &s.Promotions[i]
		if p.State != promotion.Queued {
			continue
		}
		why, may := blocked(s, p, now)
		o = o.and(may)
		if why.IsZero() && (first == nil || p.GoesBefore(first)) {
			first = p
		}
	}
	return first, o
}

// blocked returns why a queued promotion may not start now, apart from the queue; the zero reason if it may.
func blocked(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) (promotion.Reason, outlook) {
	if active := s.Active(); active != nil {
		return behind(active), outlook{}
	}
	if why, o := ready(s, p, now); !why.IsZero() {
		return why, o
	}
	if why, until := gate.KeeperOf(s, now).Disowned(p); !until.IsZero() {
		return why, outlook{until: until} // one that is lost ends when its turn comes
	}
	return promotion.Reason{}, outlook{}
}

// startable returns why a queued promotion may not start, even if no other were under way; the zero reason if it may.
func startable(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) promotion.Reason {
	why, _ := ready(s, p, now)
	if why.IsZero() {
		why, _ = gate.KeeperOf(s, now).Disowned(p)
	}
	return why
}

// ready returns why a queued promotion may not start, whoever has asked for it, even if no other were under way; the
// zero reason if it may.
func ready(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) (promotion.Reason, outlook) {
	if verify.JudgingAgain(s) && p.Class != promotion.Rollback {
		return promotion.Because(promotion.Waiting), outlook{}
	}
	if why, until := gate.KeeperOf(s, now).Barred(p); !why.IsZero() {
		return why, outlook{until: until}
	}
	if why, until := gate.KeeperOf(s, now).Settling(p); !why.IsZero() {
		return why, outlook{until: until}
	}
	if why := behindFailure(s, p); !why.IsZero() {
		return why, outlook{}
	}
	if why, until := gate.KeeperOf(s, now).Stopped(p.Class, p.Freight.Warehouse); !why.IsZero() {
		return why, outlook{until: until}
	}
	if p.Class == promotion.Automatic && !s.Stage.Policy.Automatic {
		return promotion.Because(promotion.Forbidden, string(promotion.Automatic)), outlook{}
	}
	if why, until := unreadable(s, p, now); !why.IsZero() {
		return why, outlook{until: until}
	}
	return noneReady(s, p, now)
}

// noneReady returns why a promotion does not start though nothing else is in its way: no target that it goes to is
// ready, or GitHub must be asked; the zero reason if it may start.
func noneReady(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) (promotion.Reason, outlook) {
	if s.Lookup().Conditions == 0 {
		return promotion.Reason{}, outlook{}
	}
	step, more := rollout.First(s, p, gates(gate.KeeperOf(s, now)))
	why, until := gate.KeeperOf(s, now).NoneReady(p, &step, more)
	if why.Code == promotion.Waiting {
		return why, outlook{probes: p.Number}
	}
	return why, outlook{until: until}
}
