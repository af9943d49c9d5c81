package decide

import (
	"time"
	"waybill/promotion"
	"waybill/promotion/drift"
	"waybill/promotion/gate"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// Why says where a freight of the snapshot stands in its stage.
func Why(s *promotion.Snapshot, f promotion.FreightID, now time.Time) promotion.FreightStatus {
	w := newWork(s, now)
	i := w.FreightAt(f)
	at := promotion.FreightStatus{Freight: f, Promotion: w.NewestOf(f), Stage: s.Stage}
	if at.Promotion != nil {
		at.Name, at.Targets = at.Promotion.FreightName, rollout.Status(&w.Snapshot, at.Promotion)
		at.Tally = rollout.Tally(at.Targets)
	}
	if i >= 0 {
		at.Name = w.Freight[i].Name
		at.Lacks, _ = w.gate().Unavailable(i)
	}
	if h := w.HostedStay(f); h != nil {
		at.Hosted, at.Drift = true, drift.Reason(h)
	}
	showing(s, &at)
	switch {
	case at.Promotion != nil && !at.Promotion.State.Ended():
		w.whyOpen(&at)
	case at.Promotion != nil:
		at.Place, at.Reason = promotion.PlaceEnded, at.Promotion.Reason
	case i < 0:
		at.Place, at.Reason = promotion.PlaceUnavailable, promotion.Because(promotion.Unknown, string(f))
	default:
		w.whyNot(&at, i)
	}
	return at
}

// WhyPromoted says where a promotion of the snapshot stands: as its freight does, or, if that has had a newer one, as
// its row says.
func WhyPromoted(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) promotion.FreightStatus {
	at := Why(s, p.Freight, now)
	if at.Promotion == nil || at.Promotion.Number != p.Number {
		at = promotion.FreightStatus{Name: p.FreightName, Promotion: p, Reason: p.Reason}
		showing(s, &at)
	}
	return at
}

// showing adds where the promotion can be seen, and what the stage shows of it.
func showing(s *promotion.Snapshot, at *promotion.FreightStatus) {
	p := at.Promotion
	if p == nil {
		return
	}
	at.Link = s.Link(p.Number)
	if shown := s.Shown(); shown.Number == p.Number {
		at.Seen = s.Seen()
	}
}

// Explain says how things are in the stage of a snapshot.
func Explain(s *promotion.Snapshot, now time.Time) promotion.Status {
	k := gate.KeeperOf(new(*s), now) // the copy keeps what it has looked up
	is := promotion.Status{
		Stage: s.Stage, Branches: s.Pipeline.BranchesOf(s.Stage), Open: Waits(s, now), Holds: k.Holds(),
		Unready: k.UnreadyTargets(),
	}
	for i := range s.Stays {
		stay := &s.Stays[i]
		if stay.Ended() {
			continue
		}
		h := promotion.Host{Freight: promotion.Freight{ID: stay.Freight, Name: s.NameOf(stay.Freight)}, Stay: *stay}
		if f := s.FreightAt(stay.Freight); f >= 0 {
			h.Freight = s.Freight[f]
		}
		if p := s.Promotion(stay.Promotion); p != nil {
			h.Tally = rollout.Tally(rollout.Status(s, p))
		}
		is.Hosts = append(is.Hosts, h)
	}
	return is
}

// Waits says, for every open promotion of the stage by number, what it waits for.
func Waits(s *promotion.Snapshot, now time.Time) []promotion.FreightStatus {
	var all []promotion.FreightStatus
	for i := range s.Promotions {
		if p := &s.Promotions[i]; !p.State.Ended() {
			all = append(all, Why(s, p.Freight, now))
		}
	}
	return all
}

// whyNot says why a freight without promotion has none.
func (w *work) whyNot(at *promotion.FreightStatus, i int) {
	why, until := w.gate().Unavailable(i)
	newest := w.newestPromoted(w.Freight[i].Warehouse)
	switch {
	case !why.IsZero():
		at.Place, at.Reason, at.Until = promotion.PlaceUnavailable, why, until
	case newest != "" && !w.Mark(w.Freight[i].Warehouse).Before(&w.Freight[i]):
		at.Place, at.Reason = promotion.PlaceSkipped, promotion.Because(promotion.Newer, newest)
	default:
		at.Place = promotion.PlaceAvailable
	}
}

// newestPromoted returns the name of the newest freight of a warehouse that has had a promotion here, or "".
func (w *work) newestPromoted(warehouse promotion.WarehouseName) string {
	mark, name := w.Mark(warehouse), ""
	for i := range w.Freight {
		f := &w.Freight[i]
		if f.Warehouse == warehouse && mark.Number == f.Number && mark.Merged.Equal(f.Merged) {
			name = f.Name
		}
	}
	return name
}

// whyOpen says what an open promotion waits for.
func (w *work) whyOpen(at *promotion.FreightStatus) {
	at.Place = promotion.PlaceOpen
	p := at.Promotion
	switch p.State {
	case promotion.Queued:
		at.Reason, at.Until = w.whyQueued(p)
	case promotion.Running, promotion.WaitingForMerge:
		at.Reason, at.Until = w.whyUndelivered(p)
	case promotion.Verifying:
		at.Reason, at.Until = w.whyVerifying(p)
	}
}

// whyQueued says what keeps a promotion in the queue.
func (w *work) whyQueued(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	if why, o := w.blocked(p); !why.IsZero() {
		return why, o.until
	}
	if first, _ := w.next(); first != nil && first.Number != p.Number {
		return behind(first), until
	}
	return why, until
}

// whyVerifying names the matchers that have not been decided, and says when the next of them may be by a deadline.
func (w *work) whyVerifying(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	if verify.ClockStopped(p) {
		return p.Reason, until
	}
	if w.StayOf(p.Number) < 0 {
		return why, until
	}
	matchers, until := w.judge().Awaits(p, w.now)
	if len(matchers) == 0 && p.Rolls() {
		return rollout.Stalled(&w.Snapshot, p, gates(w.gate()), w.now)
	}
	return promotion.Because(promotion.Waiting, matchers...), until
}
