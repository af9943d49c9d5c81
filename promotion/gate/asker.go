package gate

import (
	"time"

	"waybill/promotion"
)

// Disowned returns why a promotion does not go on though its freight is available: who asked for it may not any more,
// or GitHub cannot say whether they may, and is asked again at until; the zero reason if nothing of that is known. It
// is nobody's until somebody with the right takes it over.
func (k Keeper) Disowned(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	if k.catchesUp(p) {
		return why, until
	}
	switch a := k.s.Asker(p); {
	case !a.Lost.IsZero():
		return a.Lost.With(string(p.By.Login) + " has asked for it and may not any more; " +
			"somebody who may takes it over by /promote or /resume"), until
	case a.Again.After(k.now()):
		return promotion.Because(promotion.Forbidden, promotion.Unasked.String()), a.Again
	}
	return why, until
}

// catchesUp reports whether a promotion brings targets up to what the stage has verified already (semantics 5.1): the
// right of who had asked for that counted then.
func (k Keeper) catchesUp(p *promotion.Promotion) bool {
	before := k.s.Promotion(p.Cause)
	return before != nil && len(p.Only) > 0 && before.Freight.ID == p.Freight.ID && before.State == promotion.Succeeded
}
