package gate

import "waybill/promotion"

// Rejected returns why an admission does not make the i-th freight available: a person has rejected it, here or in a
// stage that it comes from; the zero reason if nobody has.
func (k Keeper) Rejected(i int) promotion.Reason {
	source, takes := k.s.Stage.Source(k.s.Freight[i].Warehouse)
	if r := k.refused(source.After, i); takes && r != nil {
		return r.Because()
	}
	return promotion.Reason{}
}

// refused returns the reject that keeps the i-th freight from passing a gate of the stage, whatever else is so; nil if
// there is none. Without a gate there is none: a stage goes on to take what comes straight from its warehouse.
func (k Keeper) refused(g *promotion.Gate, i int) *promotion.Reject {
	if g == nil || len(k.s.Rejects) == 0 {
		return nil
	}
	if r := k.s.Rejected(k.s.Stage.Name, &k.s.Freight[i]); r != nil {
		return r
	}
	return k.refusedBefore(g, i)
}

// refusedBefore returns the reject of the i-th freight in a stage that a gate names, or that is behind a pass-through
// stage; nil if there is none.
func (k Keeper) refusedBefore(g *promotion.Gate, i int) *promotion.Reject {
	for _, up := range g.Of {
		if r := k.s.Rejected(up.Name, &k.s.Freight[i]); r != nil {
			return r
		}
		source, _ := up.Source(k.s.Freight[i].Warehouse)
		if up.Delivery == promotion.DeliveryNone && source.After != nil {
			if r := k.refusedBefore(source.After, i); r != nil {
				return r
			}
		}
	}
	return nil
}

// refusedHere returns the reject of the i-th freight in the stage itself, if that is behind a gate; nil if there is
// none.
func (k Keeper) refusedHere(g *promotion.Gate, i int) *promotion.Reject {
	if g == nil {
		return nil
	}
	return k.s.Rejected(k.s.Stage.Name, &k.s.Freight[i])
}
