package gate

import "waybill/promotion"

// completes returns the rollback whose freight a promotion brings to targets that it had left out; nil if there is
// none.
func (k Keeper) completes(p *promotion.Promotion) *promotion.Promotion {
	if len(p.Only) == 0 {
		return nil
	}
	for of := p; of.Cause != 0 && of.Class != promotion.Rollback; {
		of = k.s.Promotion(of.Cause)
		switch {
		case of == nil || of.Freight.ID != p.Freight.ID:
			return nil
		case of.Class == promotion.Rollback:
			return of
		}
	}
	return nil
}
