package gate

import (
	"time"

	"waybill/promotion"
)

// soakedFrom returns when freight has been verified in a stage and hosted there for soak: always if some deployment
// that has ended was long enough, never if it is not hosted there and verified now.
func soakedFrom(r *promotion.Record, soak time.Duration) instant {
	switch {
	case soak <= r.Longest && r.Verdict == promotion.Passed:
		return always
	case r.Since.IsZero():
		return never
	}
	return instantOf(r.Since) + instant(soak)
}
