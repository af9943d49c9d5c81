package gate

import (
	"time"

	"waybill/promotion"
)

// Disowned returns why a promotion does not go on though its freight is available: who asked for it may not any more,
// or GitHub cannot say whether they may, and is asked again at until; the zero reason if nothing of that is known. It
// is nobody's until somebody with the right takes it over.
func (k Keeper) Disowned(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	switch a := k.s.Asker(p); {
	case !a.Lost.IsZero():
		return a.Lost.With(string(p.By.Login) + " has asked for it and may not any more; " +
			"somebody who may takes it over by /promote or /resume"), until
	case a.Again.After(k.now()):
		return promotion.Because(promotion.Forbidden, promotion.Unasked.String()), a.Again
	}
	return why, until
}
