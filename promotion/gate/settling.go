package gate

import (
	"time"

	"waybill/promotion"
)

// Settling returns why a stage does not take new freight by itself yet, and when it will; the zero reason if it takes
// it. With intake: after-soak it keeps what it hosts until that has soaked for the stages behind it: where changes come
// faster than they soak, none would ever get further (semantics 2.10). What failed here, or is taken back, keeps
// nothing out, and people promote what they like.
func (k Keeper) Settling(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	w := p.Freight.Warehouse
	h := k.s.Hosted(w)
	if k.s.Stage.Intake != promotion.IntakeAfterSoak || p.Class != promotion.Automatic || !p.BringsNew() || h < 0 {
		return why, until
	}
	hosted := k.s.Deployments[h].Freight
	f := k.s.FreightAt(hosted)
	if hosted == p.Freight.ID || f < 0 || k.s.Rejected(k.s.Stage.Name, &k.s.Freight[f]) != nil {
		return why, until
	}
	record := promotion.NewRecord(&k.s.Freight[f], k.s.DeploymentsOf(hosted), k.s.Withdrawals())
	why = promotion.Because(promotion.Keeps, k.s.NameOf(hosted))
	for _, soak := range k.s.Pipeline.SoaksAsked(k.s.Stage, w) {
		if from := soakedFrom(&record, soak.Lasts); from > k.instant && from != never {
			why.Args, until = append(why.Args, string(soak.By)), promotion.Later(until, from.orZero())
		}
	}
	if until.IsZero() {
		return promotion.Reason{}, until
	}
	return why, until
}
