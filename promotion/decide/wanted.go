package decide

import (
	"cmp"
	"hash/fnv"
	"time"

	"waybill/promotion"
	"waybill/promotion/deliver"
	"waybill/promotion/verify"
)

// wanted lists the effects that are wanted on GitHub as long as nothing changes, and says when that may change. An
// effect that it no longer lists and that has not begun never will: a hold that is written down before a merge begins
// always stops it. judge judges the snapshot; probes is the promotion that would go on if the state of the targets were
// known, 0: none.
func wanted(
	s *promotion.Snapshot, judge verify.Judge, probes promotion.Number, now time.Time,
) (all []promotion.Effect, until time.Time) {
	p := s.Active()
	if s.Removed && !writing(s, p) {
		return nil, until
	}
	var e promotion.Effect
	var o outlook
	if p != nil {
		e, o.until = wantedFor(s, p, now)
	} else {
		e, o = wantedNext(s, now)
	}
	if e.Verb != "" {
		all = append(all, e)
	}
	more, may := looks(s, now)
	all = append(append(all, observations(s, judge, now)...), more...)
	o = o.and(may)
	if n := cmp.Or(may.probes, o.probes, probes); n != 0 {
		all = append(all, probe(s, n))
	}
	for i := range all {
		all[i].Stage, all[i].Step = s.Stage.Name, s.Promotion(all[i].Promotion).Step()
	}
	return all, o.until
}

// wantedFor returns the next effect of the active promotion, by the rules of the way in which it is delivered.
func wantedFor(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) (e promotion.Effect, until time.Time) {
	if p.State == promotion.Verifying {
		return e, until
	}
	way, c := wayOf(s, p)
	c.Now = now
	return way.Want(c, gatesFor(s, p, now))
}

// wantedNext returns the effect that the next promotion needs for its start.
func wantedNext(s *promotion.Snapshot, now time.Time) (e promotion.Effect, o outlook) {
	p, o := next(s, now)
	if p != nil {
		e = deliver.Plan(s.Attempt(p.Number))
	}
	return e, o
}

// observations asks GitHub for all signals when a deadline has passed in silence, when nothing at all is known of
// the commit of a promotion without change, and when a person asks to judge again.
func observations(s *promotion.Snapshot, judge verify.Judge, now time.Time) (all []promotion.Effect) {
	for i := range s.Requests {
		if r := &s.Requests[i]; verify.Unobserved(s, r) {
			by := s.Deployments[s.Judgeable()].Promotion
			all = append(all, promotion.Effect{Verb: promotion.Observe, Promotion: by, Round: r.ID, Request: r.ID})
		}
	}
	p := s.Active()
	if p == nil || !verifies(s.Stage, p) {
		return all
	}
	if due, overdue := judge.Overdue(p, now); overdue {
		all = append(all, promotion.Effect{Verb: promotion.Observe, Promotion: p.Number, Round: due.Unix()})
	}
	return all
}

// looks asks for the files of targets that lack the hosted freight, where they are not known: once for the same targets
// behind the same merge. A push that touches them is read anyway.
func looks(s *promotion.Snapshot, now time.Time) (all []promotion.Effect, o outlook) {
	for i := range s.Deployments {
		deployment := &s.Deployments[i]
		late, may := latecomers(s, deployment, now)
		o = o.and(may)
		if len(late.Unread) > 0 {
			all = append(all, promotion.Effect{
				Verb: promotion.Look, Promotion: deployment.Promotion, Round: question(deployment, late.Unread),
			})
		}
	}
	return all, o
}

// question is a number for a reading of some targets behind the latest merge.
func question(s *promotion.Deployment, of []promotion.TargetName) int64 {
	sum := fnv.New32()
	for _, t := range of {
		sum.Write([]byte(t + " "))
	}
	sum.Write([]byte(s.Commit))
	return int64(sum.Sum32())
}

// probe asks GitHub for the state of the targets on behalf of a promotion, once for each answer.
func probe(s *promotion.Snapshot, n promotion.Number) promotion.Effect {
	e := promotion.Effect{Verb: promotion.Probe, Promotion: n}
	if s.Readiness != nil {
		e.Round = s.Readiness.Asked
	}
	return e
}
