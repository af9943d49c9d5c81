package rollout

import "waybill/promotion"

// A stage that gets targets, or loses all of them, is another place (semantics 5.13).

// Replaced reports whether a stage had targets when a promotion started and has none now, or the other way round.
func Replaced(s *promotion.Stage, p *promotion.Promotion) bool { return p.Rolls() != s.Rolls() }

// ReplacedSince reports whether the stage had targets when a deployment began and has none now, or the other way round.
func ReplacedSince(s *promotion.Snapshot, deployment *promotion.Deployment) bool {
	if p := s.Promotion(deployment.Promotion); p != nil && p.Rollout != nil {
		return Replaced(s.Stage, p)
	}
	return len(deployment.Results) > 0 && (deployment.Results[0].Target != "") != s.Stage.Rolls()
}

// Removed returns the reason of promotions that end with the targets of a stage that is another place now: those
// targets.
func Removed(s *promotion.Stage, names []promotion.TargetName) promotion.Reason {
	if s.Rolls() { // the one that is removed had no name
		return promotion.Because(promotion.Removed, string(s.Name)+" without targets")
	}
	return promotion.Because(promotion.Removed, promotion.Texts(names)...)
}

// TargetsOf returns the targets of some parts.
func TargetsOf(results []promotion.TargetResult) []promotion.TargetName {
	names := make([]promotion.TargetName, len(results))
	for i := range results {
		names[i] = results[i].Target
	}
	return names
}
