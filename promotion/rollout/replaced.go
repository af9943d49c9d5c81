package rollout

import "waybill/promotion"

// A stage that gets targets, or loses all of them, is another place (semantics 5.13).

// Replaced reports whether a stage had targets when a promotion started and has none now, or the other way round.
func Replaced(s *promotion.Stage, p *promotion.Promotion) bool { return p.Rolls() != s.Rolls() }

// ReplacedSince reports whether the stage had targets when a stay began and has none now, or the other way round.
func ReplacedSince(s *promotion.Snapshot, stay *promotion.Stay) bool {
	if p := s.Promotion(stay.Promotion); p != nil && p.Rollout != nil {
		return Replaced(s.Stage, p)
	}
	return len(stay.Parts) > 0 && (stay.Parts[0].Target != "") != s.Stage.Rolls()
}

// Removed returns the reason for what ends with the targets of a stage that is another place now: those that it had.
func Removed(s *promotion.Stage, names []promotion.TargetName) promotion.Reason {
	if s.Rolls() { // the one that is removed had no name
		return promotion.Because(promotion.Removed, string(s.Name)+" without targets")
	}
	return promotion.Because(promotion.Removed, promotion.Texts(names)...)
}

// TargetsOf returns the targets of some parts.
func TargetsOf(parts []promotion.Part) []promotion.TargetName {
	names := make([]promotion.TargetName, len(parts))
	for i := range parts {
		names[i] = parts[i].Target
	}
	return names
}
