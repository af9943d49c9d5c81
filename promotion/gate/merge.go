package gate

import (
	"strconv"
	"time"

	"waybill/promotion"
)

// Barred returns why a promotion may neither start nor go on, whatever else is in its way, and when it may if only time
// has to pass; the zero reason if it may. It is asked before every step that cannot be undone (semantics 1.1). What is
// new here needs freight that is available. A rollback and a repair bring back what was here, and so does what brings
// it to the targets that a rollback had left out.
func (k Keeper) Barred(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	i := k.s.FreightAt(p.Freight.ID)
	switch {
	case i < 0:
		return promotion.Because(promotion.Unknown, p.Freight.Name), until
	case !p.BringsNew() || k.completes(p) != nil:
		if r := k.s.Rejected(k.s.Stage.Name, &k.s.Freight[i]); r != nil {
			return r.Because(), until
		}
		return why, until
	}
	return k.Unavailable(i)
}

// Stays returns why a promotion takes no step that cannot be undone: its freight is not available, which is named
// first, or it is disowned.
func (k Keeper) Stays(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	if why, until := k.Barred(p); !why.IsZero() {
		return why, until
	}
	return k.Disowned(p)
}

// Halted returns why a promotion that has started does not go on, and when that ends if only time has to pass; the zero
// reason if it goes on.
func (k Keeper) Halted(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	if why, until := k.Stopped(p.Class, p.Freight.Warehouse); !why.IsZero() {
		return why, until
	}
	if why := p.Paused(); !why.IsZero() {
		return why, until
	}
	return k.Stays(p)
}

// Withheld returns why the prepared commit of a promotion is not merged, written or started, and when that ends if only
// time has to pass; the zero reason if nothing keeps it back.
func (k Keeper) Withheld(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	if why, until := k.Halted(p); !why.IsZero() {
		return why, until
	}
	if missing := k.Unsigned(p); missing > 0 {
		why = promotion.Because(promotion.Unapproved, strconv.Itoa(missing))
	}
	return why, until
}
