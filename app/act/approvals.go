package act

import (
	"context"
	"fmt"
	"slices"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/promotion"
	"waybill/store"
)

// checkApprovals asks GitHub, immediately before a promotion takes a step that cannot be undone, whether the people who
// have signed it off, or have admitted its freight to the stage, may still do so (A11, T16). If one may not, it records
// that and returns an error, which postpones the step until the stage has decided again. Without an answer the step
// waits.
func (a *Executor) checkApprovals(ctx context.Context, j *job) error {
	var standing []promotion.Approval
	err := a.Store.ViewOne(ctx, func(tx *store.Tx) (err error) {
		standing, err = tx.Ledger.StandingApprovals(j.row.ID)
		return err
	})
	if err != nil {
		return err
	}
	standing = slices.DeleteFunc(standing, func(one promotion.Approval) bool {
		return one.Stage != j.stage.Name || one.Freight != j.promotion.Freight.ID || !one.Entitled
	})
	entitled, err := a.Rights.Entitled(ctx, j.row, j.pipeline, standing, true)
	if err != nil {
		return fmt.Errorf("ask who may approve promotion %d: %w: %w", j.promotion.Number, gh.ErrTransient, err)
	}
	lost := slices.ContainsFunc(standing, func(one promotion.Approval) bool { return !entitled[one.ID] })
	if !lost {
		return nil
	}
	if err := a.Store.Update(ctx, learn.SaveEntitled(j.row.ID, entitled)); err != nil {
		return err
	}
	a.Undecided.Notify()
	return fmt.Errorf("promotion %d: %w: somebody who has approved it may not any more", j.promotion.Number,
		gh.ErrTransient)
}
