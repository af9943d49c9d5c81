package decide

import (
	"time"
	"waybill/promotion"
)

// soakedFrom returns when the freight has stayed for soak, verified: always if some past stay was long enough, never if
// it takes an event first.
func soakedFrom(r *promotion.Record, soak time.Duration) instant {
	switch {
	case soak <= r.Longest && r.Verdict == promotion.Passed:
		return always
	case r.Since.IsZero():
		return never
	}
	return instantOf(r.Since) + instant(soak)
}

// failedIn returns why the freight is bad in the stage that the record belongs to.
func failedIn(r *promotion.Record, stage *promotion.Stage) promotion.Reason {
	why := promotion.Because(promotion.FailedCheck, string(stage.Name))
	if r.Cause != nil {
		why.Args = append(why.Args, r.Cause.Args...)
		why.URL = r.Cause.URL
	}
	return why
}
