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
	if s.Promotion == nil {
		return ""
	}
	switch s.Promotion.State {
	case promotion.Succeeded:
		switch {
		case s.TakenAway():
			return "was"
		case s.Tally.ToCome > 0 || s.Withdrawn != "" || !s.Drift.IsZero():
			return ""
		}
		return "ok"
	case promotion.Failed, promotion.VerificationFailed:
		return "failed"
	}
	return ""
}
