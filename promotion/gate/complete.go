package gate

import (
	"time"

	"waybill/promotion"
)

// overdueAfter is how long after its merge the images of freight are expected: builds take their time.
const overdueAfter = time.Hour

// Incomplete returns which images the i-th freight lacks, for which it is available to no stage; the zero reason if it
// has all. Once they are overdue the reason tells people where to look.
func (k Keeper) Incomplete(i int) promotion.Reason {
	lacking := k.lacking(i)
	if len(lacking) == 0 {
		return promotion.Reason{}
	}
	why := promotion.Because(promotion.Incomplete, lacking...)
	if !k.now().Before(k.s.Freight[i].At().Add(overdueAfter)) {
		return why.With("there is none after more than an hour; look at its build, or promote newer freight")
	}
	return why
}

// lacking returns the images that the i-th freight lacks.
func (k Keeper) lacking(i int) []string {
	from := k.s.Pipeline.Warehouse(k.s.Freight[i].Warehouse)
	if from == nil || len(from.Images) == 0 {
		return nil
	}
	return from.Awaits(k.s.Freight[i])
}

// Overdue returns when images of some freight became overdue, the latest such time; the zero time if none are.
func (k Keeper) Overdue() (last time.Time) {
	if !k.s.Pipeline.AwaitsImages() {
		return last
	}
	for i := range k.s.Freight {
		if at := k.s.Freight[i].At().Add(overdueAfter); !at.After(k.now()) && at.After(last) && len(k.lacking(i)) > 0 {
			last = at
		}
	}
	return last
}

// NextOverdue returns when images of some freight become overdue next; the zero time if none will.
func (k Keeper) NextOverdue() (next time.Time) {
	if !k.s.Pipeline.AwaitsImages() {
		return next
	}
	for i := range k.s.Freight {
		at := k.s.Freight[i].At().Add(overdueAfter)
		if at.After(k.now()) && (next.IsZero() || at.Before(next)) && len(k.lacking(i)) > 0 {
			next = at
		}
	}
	return next
}
