package decide

import "waybill/promotion"

// thawed returns when a stage that is frozen now lets automation start again; always if it is not frozen.
func thawed(s *promotion.Stage, now instant) instant {
	if len(s.Freezes) == 0 {
		return always
	}
	if f, until := s.Frozen(promotion.Automatic, now.time()); f != nil {
		return instantOf(until)
	}
	return always
}
