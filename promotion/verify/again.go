package verify

import (
	"slices"
	"waybill/promotion"
)

// Judgeable returns the index of the deployment that /verify and /verdict mean: the one that is being verified, or else
// the last one that has not ended; -1 if there is none.
func Judgeable(s *promotion.Snapshot) int {
	if p := s.Active(); p != nil && p.State == promotion.Verifying {
		return s.DeploymentOf(p.Number)
	}
	for i := range slices.Backward(s.Deployments) {
		if !s.Deployments[i].Ended() {
			return i
		}
	}
	return -1
}

// Unobserved reports whether a request asks to judge again, and GitHub has not been asked since.
func Unobserved(s *promotion.Snapshot, r *promotion.Request) bool {
	return r.Command.Verb == promotion.CmdVerify && r.Observed.IsZero() && Judgeable(s) >= 0
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
