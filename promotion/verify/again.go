package verify

import (
	"waybill/promotion"
)

// Unobserved reports whether a request asks to judge again, and GitHub has not been asked since.
func Unobserved(s *promotion.Snapshot, r *promotion.Request) bool {
	return r.Command.Verb == promotion.CmdVerify && r.Observed.IsZero() && s.Judgeable() >= 0
}

// JudgingAgain reports whether a person has asked to judge again and GitHub has not answered: that goes first (Q13).
func JudgingAgain(s *promotion.Snapshot) bool {
	for i := range s.Requests {
		if Unobserved(s, &s.Requests[i]) {
			return true
		}
	}
	return false
}
