package verify

import (
	"time"
	"waybill/promotion"
)

// Sum is what the targets of a stay say together (semantics 5.4).
func Sum(stay *promotion.Stay) Opinion {
	parts := stay.Parts
	if len(parts) == 1 && parts[0].Target == "" {
		return opinionOf(&parts[0])
	}
	all := Opinion{Verdict: promotion.Passed, At: stay.Entered}
	for k := range parts {
		all = all.And(opinionOf(&parts[k]))
	}
	return all
}

func opinionOf(p *promotion.Part) Opinion {
	return Opinion{Verdict: p.Verdict, At: p.Judged, Reason: p.Cause}
}

// Listens reports whether signals judge a target of a stay: a promotion has brought it there, the pipeline file still
// has it, and no person has judged it.
func Listens(s *promotion.Snapshot, part *promotion.Part) bool {
	return part.Step > 0 && !part.JudgedByPerson() && s.Target(part.Target) != nil
}

// Part is what the signals say of one target of a stay. Silence means something only while a promotion verifies the
// stay; verifies is that promotion, or nil. From until on silence may mean something else; the zero time is never.
func (j Judge) Part(
	stay *promotion.Stay, part *promotion.Part, verifies *promotion.Promotion, now time.Time,
) (all Opinion, until time.Time) {
	all = Opinion{Verdict: promotion.Passed, At: promotion.Later(part.Since, stay.Entered)}
	t, judged := j.trialOfPart(part)
	if !judged {
		return all, until
	}
	for i := range t.Verify {
		o := j.hear(&t, &t.Verify[i])
		if verifies != nil && part.Verdict == promotion.Pending && o.Verdict == promotion.Pending && !ClockStopped(verifies) {
			var due time.Time
			o, due = j.silence(awaited{verifies, j.mergeOf(verifies, part.Since), &t.Verify[i], o.Seen}, now)
			until = promotion.Sooner(until, due)
		}
		all = all.And(o)
	}
	if all.At.After(now) {
		all.At = now
	}
	return all, until
}
