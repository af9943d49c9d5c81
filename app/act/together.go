package act

import (
	"context"

	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// together answers a command that was given to several stages, with the answer of each.
func (a reports) together(ctx context.Context, j *job, r promotion.Request) (report say.Report, err error) {
	err = a.Store.View(ctx, func(tx *store.Tx) error {
		all, err := tx.Ledger.Together(j.Pipeline, r.Together)
		if err != nil {
			return err
		}
		var parts []say.Part
		for _, one := range all {
			of, err := alone(tx, j, one)
			if err != nil {
				return err
			}
			part, err := a.part(tx, of, one)
			if err != nil {
				return err
			}
			parts = append(parts, part)
		}
		report = say.TogetherReport(r, parts)
		return nil
	})
	return report, err
}

// alone is the job of answering one of several stages, as if it alone had been asked.
func alone(tx *store.Tx, j *job, one store.Answered) (*job, error) {
	of := *j
	of.Stage, of.Request, of.Promotion = one.Command.Stage, one.ID, one.About
	of.Outcome, of.Reason, of.stage = string(one.Outcome), one.Reason, j.pipeline.Stage(one.Command.Stage)
	var err error
	if one.About != 0 {
		of.promotion, of.attempt, of.freight, err = tx.Ledger.WithFreight(j.Pipeline, one.About)
	}
	return &of, err
}

// part is the answer of one of several stages.
func (a reports) part(tx *store.Tx, j *job, one store.Answered) (p say.Part, err error) {
	p = say.Part{Stage: j.Stage, Outcome: one.Outcome}
	if one.Outcome != promotion.Done {
		p.Refusal = say.RefusalOf(one.Request, j.Outcome, j.Reason, j.pipeline.Policy, j.Stage)
		return p, nil
	}
	p.Said, err = a.deedReport(tx, j, one.Request)
	return p, err
}
