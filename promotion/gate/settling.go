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
	soak, of := k.s.Pipeline.SoakAsked(k.s.Stage, w)
	f := k.s.FreightAt(hosted)
	if hosted == p.Freight.ID || soak == 0 || f < 0 || k.s.Rejected(k.s.Stage.Name, &k.s.Freight[f]) != nil {
		return why, until
	}
	record := promotion.NewRecord(&k.s.Freight[f], k.s.DeploymentsOf(hosted), k.s.Withdrawals())
	from := soakedFrom(&record, soak)
	if from <= k.instant || from == never {
		return why, until
	}
	return promotion.Because(promotion.Keeps, append([]string{k.s.NameOf(hosted)}, of...)...), from.orZero()
}
