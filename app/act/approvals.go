package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/promotion"
	"waybill/store"
)

// checkApprovals asks GitHub, immediately before a promotion takes a step that cannot be undone, whether the people who
// have asked for it, have signed it off, or have admitted its freight to the stage, may still do so (A11, T16). If one
// may not, it records that and returns an error, which postpones the step until the stage has decided again. Without an
// answer the step waits.
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
	return a.checkRights(ctx, j, standing)
}

// checkAsker asks GitHub, before the first plan of a person's promotion, whether that person may still ask for it. If
// GitHub cannot say, one that has not started lets others pass for a minute.
func (a *Executor) checkAsker(ctx context.Context, j *job) error {
	if j.promotion.Rolls() && j.promotion.Rollout.Merged > 0 {
		return nil // the next merge asks
	}
	err := a.checkRights(ctx, j, nil)
	if err == nil || errors.Is(err, errLost) || ctx.Err() != nil || j.promotion.State != promotion.Queued {
		return err
	}
	unknown := promotion.Asker{Person: j.promotion.By.ID, Again: a.Clock().Add(askedAgain)}
	saved := a.Store.Update(ctx, func(tx *store.Tx) error {
		return tx.Attempts.SaveAsker(j.Pipeline, j.promotion.Number, unknown)
	})
	a.Undecided.Notify()
	return cmp.Or(saved, err)
}

// askedAgain is when GitHub is asked again who may, if it could not say.
const askedAgain = time.Minute

// errLost says that a person whose right the promotion needs has lost it.
var errLost = errors.New("a person who requested it, signed it off or admitted its freight has lost the right")

// checkRights asks for the rights of who has asked for a promotion, and of those who have given some approvals of it.
func (a *Executor) checkRights(ctx context.Context, j *job, given []promotion.Approval) error {
	var asked []promotion.Promotion
	if !j.promotion.By.Bot() {
		asked = []promotion.Promotion{j.promotion}
	}
	still, err := a.Rights.Still(ctx, j.row, j.pipeline, given, asked)
	if err != nil {
		return fmt.Errorf("ask who may have promotion %d: %w: %w", j.promotion.Number, gh.ErrTransient, err)
	}
	if !still.Lost() {
		return nil
	}
	if err := a.Store.Update(ctx, learn.SaveStill(j.row.ID, still.Entitled, still.Askers)); err != nil {
		return err
	}
	a.Undecided.Notify()
	return fmt.Errorf("promotion %d: %w: %w", j.promotion.Number, gh.ErrTransient, errLost)
}
