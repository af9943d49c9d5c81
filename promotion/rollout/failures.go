package rollout

import (
	"waybill/promotion"
)

// TooMany reports whether more targets have failed than the stage goes on with.
func TooMany(s *promotion.Stage, results []promotion.TargetResult) bool {
	failed := 0
	for i := range results {
		if results[i].Verdict == promotion.Bad {
			failed++
		}
	}
	return s.Strategy.Beyond != promotion.BeyondContinues && failed > s.Strategy.MaxFailures
}

// Spent returns why no further target may be moved to a freight, because more have failed with it than may; the zero
// reason if one may.
func Spent(s *promotion.Snapshot, f *promotion.Freight) (why promotion.Reason) {
	brought := broughtTo(s, f)
	if !TooMany(s.Stage, brought) {
		return why
	}
	for i := range brought {
		if brought[i].Verdict == promotion.Bad {
			why = brought[i].Cause
		}
	}
	return why.With("no more targets may fail; /retry takes up what has failed")
}
