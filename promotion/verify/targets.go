package verify

import (
	"time"

	"waybill/promotion"
)

// Sum joins the results of the targets of a deployment (semantics 5.4).
func Sum(deployment *promotion.Deployment) Opinion {
	results := deployment.Results
	if len(results) == 1 && results[0].Target == "" {
		return opinionOf(&results[0])
	}
	all := Opinion{Verdict: promotion.Passed, At: deployment.Entered}
	for k := range results {
		all = all.And(opinionOf(&results[k]))
	}
	return all
}

func opinionOf(p *promotion.TargetResult) Opinion {
	return Opinion{Verdict: p.Verdict, At: p.Judged, Reason: p.Cause}
}

// Listens reports whether signals judge a target of a deployment: a promotion has brought it there, the pipeline file
// still has it, and no person has judged it.
func Listens(s *promotion.Snapshot, result *promotion.TargetResult) bool {
	return result.Step > 0 && !result.JudgedByPerson() && s.Target(result.Target) != nil
}

// Target returns the opinion on one target of a deployment. Silence counts only while a promotion verifies the
// deployment; verifies is that promotion, or nil. From until on silence may count otherwise; the zero time is
// never. The reason of an opinion on a target with a bad verdict names what fails now, or, if all that failed has
// passed since, what is unclear or awaited; there is none while that is not so.
func (j Judge) Target(
	deployment *promotion.Deployment, result *promotion.TargetResult, verifies *promotion.Promotion, now time.Time,
) (all Opinion, until time.Time) {
	all = Opinion{Verdict: promotion.Passed, At: promotion.Later(result.Came(), deployment.Entered)}
	t, judged := j.trialOfTarget(deployment.Promotion, result)
	if !judged {
		return all, until
	}
	passedSince := true // of a bad verdict: the matcher that it names passes now
	for i := range t.by {
		o := j.hear(&t, &t.by[i])
		if verifies != nil && result.Verdict == promotion.Pending && o.Verdict == promotion.Pending {
			var due time.Time
			o, due = j.silence(awaited{verifies, j.begins(verifies, result.Came()), &t.by[i], o.Seen}, now)
			until = promotion.Sooner(until, due)
		}
		if result.Verdict == promotion.Bad && o.Verdict != promotion.Passed {
			name := t.by[i].String()
			passedSince = passedSince && name != result.Cause.Arg(0)
			if o.Verdict == promotion.Pending {
				o.Reason = promotion.Because(promotion.Waiting, name)
			}
		}
		all = all.And(o)
	}
	if !passedSince && all.Verdict != promotion.Bad {
		all.Reason = promotion.Reason{}
	}
	if all.At.After(now) {
		all.At = now
	}
	return all, until
}
