package intake

import (
	"context"
	"slices"

	"waybill/app/learn"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// mostRuled is of how many branches the rules are read for a proposal. Nobody has agreed to its cost.
const mostRuled = 10

// demands says what the rules of branches would mean for the stages that pipeline files propose. GitHub is asked about
// branches of the home repository, and those that the pipeline has now: another repository has allowed nothing yet.
func (ps *proposals) demands(
	ctx context.Context, before, after *promotion.Pipeline,
) (all []say.StageDemand, err error) {
	known := before.Everywhere()
	branches := slices.DeleteFunc(after.Everywhere(), func(on promotion.Branch) bool {
		return on.Repo != before.Home && !slices.Contains(known, on)
	})
	err = ps.rules.Refresh(ctx, branches[:min(len(branches), mostRuled)], learn.RulesLast)
	if err != nil {
		return nil, err
	}
	err = ps.Store.View(ctx, func(tx *store.Tx) error {
		all = nil
		for _, s := range after.Stages {
			some, err := ps.Demands(tx, after, s)
			if err != nil {
				return err
			}
			for _, d := range some {
				all = append(all, say.StageDemand{Stage: s.Name, Demand: d})
			}
		}
		return nil
	})
	return all, err
}
