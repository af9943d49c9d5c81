package act

import (
	"errors"

	"waybill/promotion"
	"waybill/store"
)

// annotate adds to a plan what people are told of it, of what the ledger has: no request is made for it. was are the
// present values of the files that the plan writes.
func (a *Executor) annotate(
	tx *store.Tx, j *job, stage *promotion.Stage, f promotion.Freight, was []promotion.Value, plan *promotion.Plan,
) error {
	p := &j.promotion
	cargo, err := tx.Freight.Cargoes(store.StageKey{Pipeline: j.Pipeline, Stage: stage.Name}, p.Number, f,
		siblings(j.pipeline, f.Warehouse))
	if err != nil {
		return err
	}
	deployments, err := tx.Deployments.Of(j.Pipeline, f.ID)
	if err != nil {
		return err
	}
	withdrawals, err := tx.Ledger.Withdrawals(j.Pipeline, stage)
	if err != nil {
		return err
	}
	plan.Notes = stage.Annotate(cargo, was, plan.Values, deployments, withdrawals)
	plan.Notes.Web = a.Hub.Pages()
	if p.Cause == 0 {
		return nil
	}
	cause, err := tx.Promotions.ByNumber(j.Pipeline, p.Cause)
	if errors.Is(err, store.ErrNotFound) { // it was so long ago
		return nil
	}
	if plan.Notes.Answers = p.Cause; !cause.Reason.IsZero() {
		plan.Notes.Cause = &cause.Reason
	}
	return err
}

// mostSiblings bounds how many other warehouses of a branch are asked for their freight.
const mostSiblings = 10

// siblings returns the other warehouses that take what comes into the branch of a warehouse.
func siblings(p *promotion.Pipeline, name promotion.WarehouseName) (all []promotion.WarehouseName) {
	w := p.Warehouse(name)
	for _, other := range p.Warehouses {
		if w != nil && other != w && w.Branch != "" && other.Repo == w.Repo && other.Branch == w.Branch &&
			len(all) < mostSiblings {
			all = append(all, other.Name)
		}
	}
	return all
}
