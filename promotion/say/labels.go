package say

import "waybill/promotion"

// StageLabel is the label with the result of freight in a stage; word is the one that Label returns.
func StageLabel(stage promotion.StageName, word string) string {
	return "stage/" + string(stage) + ":" + word
}

// Label describes the result of the freight: ok, failed, was where it was ok and has been taken away, or "" as long as
// it is not known. Where it has come to some targets of a stage only, or the stage that hosts it vouches for it no
// more, it is none of these.
func Label(s promotion.FreightStatus) string {
	switch {
	case s.Bad():
		return "failed"
	case s.Good() && s.TakenAway():
		return "was"
	case s.Good() && !lessens(s):
		return "ok"
	case !s.Good() && s.Promotion != nil && s.Promotion.State == promotion.Failed:
		return "failed"
	}
	return ""
}

// WorseLabel returns the worse of two words that Label returns: failed, then was, then ok.
func WorseLabel(a, b string) string {
	for _, word := range []string{"failed", "was", "ok"} {
		if a == word || b == word {
			return word
		}
	}
	return ""
}

// lessens reports whether freight that is good in a stage is not all that it was: its files have changed since, or the
// stage vouches for it no more.
func lessens(s promotion.FreightStatus) bool { return s.Withdrawn != "" || !s.Drift.IsZero() }

// Conclusion returns the status and the conclusion of the check run on a freight in a stage. Waiting is neutral, so
// that it never makes a commit of the main branch red.
func Conclusion(s promotion.FreightStatus) (status, conclusion string) {
	p := s.Promotion
	switch {
	case p == nil, WaitsForSignOff(s): // GitHub shows buttons on completed runs only
		return "completed", "neutral"
	case p.State.Active():
		return "in_progress", ""
	case s.Bad():
		return "completed", "failure"
	case s.Good() && (lessens(s) || s.Was.Back): // it was good, and is not all that any more
		return "completed", "neutral"
	case s.Good():
		return "completed", "success"
	case p.State == promotion.Failed:
		return "completed", "failure"
	case p.State == promotion.Cancelled, p.State == promotion.Declined:
		return "completed", "cancelled"
	}
	return "completed", "neutral"
}
