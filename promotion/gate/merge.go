package gate

import (
	"strconv"
	"time"

	"waybill/promotion"
)

// Halted returns why a promotion that has started does not go on, and when a hold or a freeze that halts it ends; the
// zero reason if it goes on. Its freight was available when it started, and may have failed upstream since.
func (k Keeper) Halted(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	if why, until := k.Stopped(p.Class); !why.IsZero() {
		return why, until
	}
	if why := p.Paused(); !why.IsZero() {
		return why, until
	}
	return k.FailedUpstream(p), until
}

// Withheld returns why the prepared commit of a promotion is not merged, written or started, and when a hold or a
// freeze that keeps it back ends; the zero reason if nothing keeps it back.
func (k Keeper) Withheld(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	if why, until := k.Halted(p); !why.IsZero() {
		return why, until
	}
	if missing := k.Unsigned(p); missing > 0 {
		why = promotion.Because(promotion.Unapproved, strconv.Itoa(missing))
	}
	return why, until
}
