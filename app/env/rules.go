package env

import (
	"waybill/promotion"
	"waybill/promotion/rules"
	"waybill/store"
)

// Demands says what the rules of its branches mean for the promotions of a stage, as they were read last: first what
// stops them. Branches of which no rules have been read have none.
func (e *Env) Demands(
	tx *store.Tx, p *promotion.Pipeline, s *promotion.Stage,
) (all []promotion.Demand, err error) {
	if s == nil {
		return nil, nil
	}
	for _, on := range p.BranchesOf(s) {
		r, err := tx.Branches.Rules(on)
		if err != nil {
			return nil, err
		}
		all = append(all, rules.Demands(p, p.On(s, on), r, e.Hub.AppID())...)
	}
	return all, nil
}
