package say

import "waybill/promotion"

// StageLabel is the label that says how freight fares in a stage; word is what Label returns.
func StageLabel(stage promotion.StageName, word string) string {
	return "stage/" + string(stage) + ":" + word
}

// Label says in a word how the freight fares: ok, failed, or "" as long as nobody knows. Where it has come to some
// targets of a stage only, it is neither.
func Label(s promotion.FreightStatus) string {
	if s.Promotion == nil {
		return ""
	}
	switch s.Promotion.State {
	case promotion.Succeeded:
		if s.Tally.ToCome > 0 {
			return ""
		}
		return "ok"
	case promotion.Failed, promotion.VerificationFailed:
		return "failed"
	}
	return ""
}
