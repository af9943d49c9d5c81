package verify

import "waybill/promotion"

// of reports whether the subject waits for the matcher.
func (a *asker) of(s *promotion.Subject) bool {
	return a.stage == s.Stage.Name && a.target == s.Name
}

// Sharing knows which matchers of a pipeline the same runs would match.
type Sharing struct{ askers *askers }

// SharingOf looks at all matchers of a pipeline.
func SharingOf(p *promotion.Pipeline) Sharing { return Sharing{askersOf(p)} }

// Shares reports whether another stage on the same branch, or another target of the stage, is verified by a matcher
// that the same runs would match. Then runs count on the merge commit only (semantics 7.1).
func (s Sharing) Shares(of *promotion.Subject, m *promotion.Matcher) bool {
	return s.askers.anyOverlaps(m, func(a *asker) bool { return a.on == of.On && !a.of(of) })
}
