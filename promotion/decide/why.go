package decide

import (
	"cmp"
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/drift"
	"waybill/promotion/gate"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// Why says where a freight of the snapshot stands in its stage.
func Why(s *promotion.Snapshot, f promotion.FreightID, now time.Time) promotion.FreightStatus {
	s = new(*s) // the copy keeps its own index
	i := s.FreightAt(f)
	at := promotion.FreightStatus{Freight: f, Promotion: s.NewestOf(f), Stage: s.Stage}
	at.MakersOut = command.LeavesOut(s.Pipeline.Policy, promotion.CmdApprove, s.Stage.Name, "author")
	if at.Promotion != nil {
		at.Name, at.Targets = at.Promotion.Freight.Name, targetsOf(s, at.Promotion)
		at.Tally = rollout.Summarize(at.Targets)
		at.Waived = s.Stage.SignsOff() && gate.KeeperOf(s, now).Waived(at.Promotion)
	}
	at.Verdict, at.Cause = verdictOn(s, f, at.Promotion)
	if i >= 0 {
		at.Name = s.Freight[i].Name
		at.Lacks, _ = gate.KeeperOf(s, now).Unavailable(i)
		at.Withdrawn = withdrawn(s, i, at)
		if r := s.Rejected(s.Stage.Name, &s.Freight[i]); r != nil {
			at.Rejected = r.Because()
		}
	}
	if h := s.HostedDeployment(f); h != nil {
		at.Hosted, at.Drift = true, drift.Reason(h)
		at.Partly = goesPartly(at.Promotion, h)
		if last := s.Judgeable(); last >= 0 && s.Deployments[last].Freight == f {
			at.BackTo = backFrom(s, last)
		}
		back := promotion.Command{Verb: promotion.CmdRollback, Stage: s.Stage.Name}
		if at.BackTo != "" && !Accepts(s, back, now) { // it is on its way there, or a person holds the stage
			at.BackTo = ""
		}
	}
	at.Was = wasThere(s, at.Promotion)
	if at.Promotion != nil {
		at.Recovered = recovery(s, at.Promotion)
	}
	at.Link, at.Seen = shownAs(s, at.Promotion)
	at.Notes = notesOn(s, at.Promotion)
	switch {
	case at.Promotion != nil && !at.Promotion.State.Ended():
		at.Place = promotion.PlaceOpen
		at.Reason, at.Until = whyOpen(s, at.Promotion, now)
		if r := s.Rejection(at.Promotion.Number); r != nil && (at.Reason.IsZero() || at.Reason.Code == promotion.Waiting) {
			at.Reason, at.Until, at.Rejection = r.Reason(), r.Again, r
		}
	case at.Promotion != nil:
		at.Place, at.Reason = promotion.PlaceEnded, at.Promotion.Reason
	case i < 0:
		at.Place, at.Reason = promotion.PlaceUnavailable, promotion.Because(promotion.Unknown, string(f))
	default:
		at.Place, at.Reason, at.Until = whyNot(s, i, now)
	}
	at.Next, at.Retries = nextFor(s, &at, now), retries(s, &at, now)
	at.LetsGo = lettingGo(s, at.Promotion, now)
	return at
}

// targetsOf says how the targets of the newest promotion of a freight stand. One that ended before it brought anything
// says nothing about them while the stage hosts what an earlier one of the same freight has brought.
func targetsOf(s *promotion.Snapshot, p *promotion.Promotion) []promotion.TargetStatus {
	if h := s.HostedDeployment(p.Freight.ID); h != nil && h.Promotion != p.Number && p.State.Ended() {
		return nil
	}
	return rollout.Status(s, p)
}

// verdictOn returns the latest verdict on a freight, and why it is bad: while the stage hosts it, or else on what the
// newest promotion of it has brought, or, if that has ended and brought nothing, an earlier one.
func verdictOn(
	s *promotion.Snapshot, f promotion.FreightID, p *promotion.Promotion,
) (promotion.Verdict, promotion.Reason) {
	d := s.HostedDeployment(f)
	if p != nil && d == nil {
		if i := s.DeploymentOf(p.Number); i >= 0 {
			d = &s.Deployments[i]
		} else if left, known := leftBy(s, p); known && p.State.Ended() {
			d = &left
		}
	}
	if d == nil {
		return promotion.Pending, promotion.Reason{}
	}
	return d.Verdict, d.Cause
}

// withdrawn says what has taken back the i-th freight, where at says how it stands; "" if it was not good.
func withdrawn(s *promotion.Snapshot, i int, at promotion.FreightStatus) string {
	f := &s.Freight[i]
	good := at.Good() || at.Promotion != nil && at.Promotion.State == promotion.Succeeded && !at.Bad()
	if !good || s.Rejected(s.Stage.Name, f) == nil && !s.TakenBack(f) {
		return "" // drift is told apart
	}
	return takenBack(s, i)
}

// takenBack says why the stage does not vouch for the i-th freight, though it may have verified it; "" if nothing has
// taken it back.
func takenBack(s *promotion.Snapshot, i int) string {
	f := &s.Freight[i]
	record := promotion.NewRecord(f, s.DeploymentsOf(f.ID), s.Withdrawals())
	return cmp.Or(s.RejectedWords(s.Stage.Name, f), record.Withdrawn)
}

// WhyPromoted says where a promotion of the snapshot stands: as its freight does, or, if that has had a newer one, as
// its row says.
func WhyPromoted(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) promotion.FreightStatus {
	at := Why(s, p.Freight.ID, now)
	if at.Promotion == nil || at.Promotion.Number != p.Number {
		at = promotion.FreightStatus{
			Freight: p.Freight.ID, Name: p.Freight.Name, Stage: s.Stage, Promotion: p, Reason: p.Reason,
		}
		at.Link, at.Seen = shownAs(s, p)
		at.Notes = notesOn(s, p)
		at.LetsGo = lettingGo(s, p, now)
		at.Recovered = recovery(s, p)
	}
	return at
}

// notesOn returns the notes on the plan of a promotion; nil if there are none.
func notesOn(s *promotion.Snapshot, p *promotion.Promotion) *promotion.Notes {
	if p == nil {
		return nil
	}
	return s.Attempt(p.Number).Notes()
}

// shownAs returns the address of a promotion, if there is one, and the state that the stage shows of it.
func shownAs(s *promotion.Snapshot, p *promotion.Promotion) (link promotion.Link, seen string) {
	if p == nil {
		return link, seen
	}
	if shown := s.Shown(); shown.Number == p.Number {
		seen = s.Seen()
	}
	return s.Link(p.Number), seen
}

// Explain says how things are in the stage of a snapshot.
func Explain(s *promotion.Snapshot, now time.Time) promotion.Status {
	k := gate.KeeperOf(new(*s), now) // the copy keeps its own index
	is := promotion.Status{
		At: now, Stage: s.Stage, Branches: s.Pipeline.BranchesOf(s.Stage), Open: Waits(s, now), Coming: coming(s, now),
		Holds: k.Holds(), Unready: k.UnreadyTargets(),
	}
	if f, until := s.Stage.Frozen(promotion.Automatic, now); f != nil {
		is.Frozen, is.Thaws = f.Because(), until
	}
	for i := range s.Deployments {
		deployment := &s.Deployments[i]
		if deployment.Ended() {
			continue
		}
		h := promotion.Host{
			Freight: promotion.Freight{ID: deployment.Freight, Name: s.NameOf(deployment.Freight)}, Deployment: *deployment,
			Unwritten: s.Unwritten(deployment),
		}
		if f := s.FreightAt(deployment.Freight); f >= 0 {
			h.Freight, h.Withdrawn = s.Freight[f], takenBack(s, f)
		}
		if p := s.Promotion(deployment.Promotion); p != nil {
			h.Tally = rollout.Summarize(rollout.Status(s, p))
			h.Partly = goesPartly(p, deployment)
		}
		is.Hosts = append(is.Hosts, h)
	}
	return is
}

// goesPartly reports whether a promotion has ended whose freight is good where it has brought it, but not everywhere.
func goesPartly(p *promotion.Promotion, is *promotion.Deployment) bool {
	return p != nil && p.Number == is.Promotion && is.Verdict == promotion.Pending &&
		(p.State == promotion.Succeeded || p.State == promotion.VerificationFailed && is.Incomplete)
}

// coming returns where the newest freight of each warehouse stands that has had no promotion and has not been passed.
func coming(s *promotion.Snapshot, now time.Time) (all []promotion.FreightStatus) {
	for _, source := range s.Stage.From {
		for i := range slices.Backward(s.Freight) {
			if s.Freight[i].Warehouse != source.Warehouse {
				continue
			}
			at := Why(s, s.Freight[i].ID, now)
			if at.Promotion == nil && at.Place != promotion.PlaceSkipped {
				all = append(all, at)
			}
			break
		}
	}
	return all
}

// Waits returns, for every open promotion of the stage by number, the reason why it waits.
func Waits(s *promotion.Snapshot, now time.Time) []promotion.FreightStatus {
	var all []promotion.FreightStatus
	for i := range s.Promotions {
		if p := &s.Promotions[i]; !p.State.Ended() {
			all = append(all, Why(s, p.Freight.ID, now))
		}
	}
	return all
}

// whyNot returns where the i-th freight stands, which has no promotion, and why.
func whyNot(s *promotion.Snapshot, i int, now time.Time) (at promotion.Place, why promotion.Reason, until time.Time) {
	f := &s.Freight[i]
	if by := passedBy(s, f); !by.IsZero() {
		return promotion.PlaceSkipped, by, until
	}
	if why, until := gate.KeeperOf(s, now).Unavailable(i); !why.IsZero() {
		return promotion.PlaceUnavailable, why, until
	}
	if newest := newestPromoted(s, f.Warehouse); newest != "" && !s.Mark(f.Warehouse).Before(f) {
		return promotion.PlaceSkipped, promotion.Because(promotion.Newer, newest), until
	}
	return promotion.PlaceAvailable, why, until
}

// passedBy returns which newer freight has come in place of one that had no promotion, and whether it contains that;
// the zero reason if the stage hosts none, or if a person has rejected this one.
func passedBy(s *promotion.Snapshot, f *promotion.Freight) promotion.Reason {
	w := s.Pipeline.Warehouse(f.Warehouse)
	by := cameInstead(s, f)
	if w == nil || by == nil || s.Rejected(s.Stage.Name, f) != nil {
		return promotion.Reason{}
	}
	code := promotion.Before
	if w.Contains() {
		code = promotion.Carried
	}
	return promotion.Because(code, by.Name, string(s.Stage.Name))
}

// cameInstead returns the freight with which the stage has gone past another of its warehouse, and from which on it has
// hosted newer freight only; nil if it hosts none that is newer. What arrives later changes nothing about it.
func cameInstead(s *promotion.Snapshot, f *promotion.Freight) (by *promotion.Freight) {
	if s.Hosted(f.Warehouse) < 0 {
		return nil
	}
	for _, d := range slices.Backward(s.Deployments) {
		i := s.FreightAt(d.Freight)
		if d.Warehouse != f.Warehouse || i < 0 {
			continue
		}
		if !f.Before(s.Freight[i]) {
			break
		}
		by = &s.Freight[i]
	}
	return by
}

// newestPromoted returns the name of the newest freight of a warehouse that has had a promotion here, or "".
func newestPromoted(s *promotion.Snapshot, warehouse promotion.WarehouseName) string {
	mark, name := s.Mark(warehouse), ""
	for i := range s.Freight {
		f := &s.Freight[i]
		if f.Warehouse == warehouse && mark.Number == f.Number && mark.Merged.Equal(f.Merged) {
			name = f.Name
		}
	}
	return name
}

// whyOpen returns why an open promotion waits.
func whyOpen(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) (why promotion.Reason, until time.Time) {
	switch p.State {
	case promotion.Queued:
		return whyQueued(s, p, now)
	case promotion.Running, promotion.WaitingForMerge:
		return whyUndelivered(s, p, now)
	}
	return whyVerifying(s, p, now)
}

// whyQueued returns why a promotion stays in the queue.
func whyQueued(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) (why promotion.Reason, until time.Time) {
	if why, o := blocked(s, p, now); !why.IsZero() {
		return why, o.until
	}
	if first, _ := next(s, now); first != nil && first.Number != p.Number {
		return behind(first), until
	}
	return why, until
}

// whyVerifying returns the matchers that have not been decided, and when the next of them may be by a deadline.
func whyVerifying(
	s *promotion.Snapshot, p *promotion.Promotion, now time.Time,
) (why promotion.Reason, until time.Time) {
	if verify.ClockStopped(p) {
		return p.Reason, until
	}
	if s.DeploymentOf(p.Number) < 0 {
		return why, until
	}
	matchers, until := verify.JudgeOf(s, new(verify.Sharing)).Awaits(p, now)
	if len(matchers) == 0 && p.Rolls() {
		return rollout.Stalled(s, p, gates(gate.KeeperOf(s, now)), now)
	}
	return promotion.Because(promotion.Waiting, matchers...), until
}
