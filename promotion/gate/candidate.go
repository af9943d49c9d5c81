package gate

import (
	"time"

	"waybill/promotion"
)

// NewestAvailable returns the index of the newest freight that is available from a source of the stage and newer than
// a mark, or
// -1. It also returns when freight that is newer still, and only has to soak, will be available first; the zero time if
// there is none.
func (k Keeper) NewestAvailable(from promotion.Source, mark promotion.Mark) (newest int, until time.Time) {
	soonest := never
	for i := len(k.s.Freight) - 1; i >= 0; i-- {
		f := &k.s.Freight[i]
		if f.Warehouse != from.Warehouse {
			continue
		}
		if !mark.Before(f) {
			break
		}
		t := k.availableBehind(from.After, i)
		if t <= k.instant {
			return i, soonest.orZero()
		}
		soonest = min(soonest, t)
	}
	return -1, soonest.orZero()
}

// AllAvailable returns the indices of all freight that is available from a source of the stage and newer than a mark,
// oldest first. It also returns when other such freight, which only has to soak, will be available first; the zero
// time if there is none.
func (k Keeper) AllAvailable(from promotion.Source, mark promotion.Mark) (all []int, until time.Time) {
	soonest := never
	for i := range k.s.Freight {
		f := &k.s.Freight[i]
		if f.Warehouse != from.Warehouse || !mark.Before(f) {
			continue
		}
		if t := k.availableBehind(from.After, i); t <= k.instant {
			all = append(all, i)
		} else {
			soonest = min(soonest, t)
		}
	}
	return all, soonest.orZero()
}
