package act

import (
	"context"
	"fmt"
	"slices"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// merge merges a promotion's pull request, pinned to the commit that Waybill made. It records each answer of GitHub as
// a fact: merged, refused for now, in conflict with the base, or changed meanwhile.
func (a *Executor) merge(ctx context.Context, j *job) (work.Record, error) {
	if j.promotion.State == promotion.Verifying || j.promotion.State.Ended() && j.promotion.MergeSHA != "" {
		return nil, a.mergedBefore(ctx, j)
	}
	if err := a.awaitTurn(ctx, j); err != nil {
		return nil, err
	}
	b, _, err := a.blueprint(ctx, j)
	if err != nil {
		return nil, err
	}
	var known promotion.Pull
	err = a.Store.View(ctx, func(tx *store.Tx) error {
		known, err = tx.Facts.Pull(j.files.Repo, j.attempt.Pull)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := a.checkSignOffs(ctx, j); err != nil {
		return nil, err
	}
	base := b.Base
	outcome, err := j.client.Merge(ctx, gh.MergeRequest{
		Pull: j.attempt.Pull, Base: base.Branch, Head: j.attempt.Made.Head, Known: known, Method: j.mergeMethod(base),
		Title: say.PullTitle(&j.promotion), Message: j.commitMessage(),
	})
	if err != nil {
		return nil, err
	}
	j.idle = outcome.Result != gh.Merged || !outcome.Pull.By.Bot()
	return func(tx *store.Tx) error {
		if err := j.saveOutcome(tx, outcome); err != nil {
			return err
		}
		_, err := tx.Facts.RecordPull(outcome.Pull)
		return err
	}, nil
}

// saveOutcome records GitHub's answer to the request to merge. If the branch has moved on from the commit, it is the
// promotion's turn to be made anew. If it is not merged for another reason, the next one may be.
func (j *job) saveOutcome(tx *store.Tx, o gh.MergeOutcome) error {
	n := j.promotion.Number
	if err := tx.Ledger.SaveWait(j.Pipeline, n, promotion.Wait{}); err != nil {
		return err
	}
	switch o.Result {
	case gh.Conflicts:
		return tx.Ledger.TakeTurn(j.Pipeline, n)
	case gh.Behind:
		if err := tx.Ledger.SaveBehind(j.Pipeline, n, o.Pull.HeadSHA); err != nil {
			return err
		}
		return tx.Ledger.TakeTurn(j.Pipeline, n)
	case gh.Merged: // the turn ends when that is decided
		return nil
	case gh.NotAllowed:
		if err := tx.Ledger.SaveUnmergeable(j.Pipeline, n, j.Round, o.Text); err != nil {
			return err
		}
	}
	return tx.Ledger.PassTurn(j.Pipeline, n)
}

// mergeMethod returns the method by which a promotion's pull request is merged. Where the branch must descend from the
// freight's commit, squashing would break that.
func (j *job) mergeMethod(base gh.Base) string {
	if j.stage.Whole() && j.stage.Merge.Method == "" && slices.Contains(base.Methods, "merge") {
		return "merge"
	}
	return base.MergeMethod(j.stage.Merge.Method)
}

// dequeue takes a promotion's pull request out of GitHub's merge queue, because it must not be merged now.
func (a *Executor) dequeue(ctx context.Context, j *job) (work.Record, error) {
	pull, err := j.client.Dequeue(ctx, j.attempt.Pull)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		_, err := tx.Facts.RecordPull(pull)
		return err
	}, nil
}

// mergedBefore ends a merge whose answer was lost: a webhook or a resync has reported it first, and the promotion has
// gone on. The account that merged tells whether it was this merge.
func (a *Executor) mergedBefore(ctx context.Context, j *job) error {
	return a.Store.View(ctx, func(tx *store.Tx) error {
		pull, err := tx.Facts.Pull(j.files.Repo, j.attempt.Pull)
		j.idle = !pull.By.Bot()
		return err
	})
}

// checkSignOffs asks GitHub, immediately before a promotion is merged, whether the people who have signed it off may
// still do so (T16): those whom the stage asks for, and those whom a batch does. If one may not, it records that and
// returns an error, which postpones the merge until the stage has decided again. Without an answer the merge waits.
func (a *Executor) checkSignOffs(ctx context.Context, j *job) error {
	var lost work.Record
	var standing []promotion.Approval
	err := a.Store.View(ctx, func(tx *store.Tx) (err error) {
		standing, err = tx.Ledger.StandingApprovals(j.row.ID)
		return err
	})
	if err != nil {
		return err
	}
	standing = slices.DeleteFunc(standing, func(one promotion.Approval) bool {
		return one.Kind != promotion.SignOff || one.Stage != j.stage.Name ||
			one.Freight != j.promotion.Freight.ID || !one.Entitled
	})
	entitled, err := a.Rights.Entitled(ctx, j.row, j.pipeline, standing, true)
	if err != nil {
		return fmt.Errorf("ask who may sign promotion %d off: %w: %w", j.promotion.Number, gh.ErrTransient, err)
	}
	for _, one := range standing {
		if !entitled[one.ID] {
			lost = learn.SaveEntitled(j.row.ID, entitled)
		}
	}
	if lost == nil {
		return nil
	}
	if err := a.Store.Update(ctx, lost); err != nil {
		return err
	}
	a.Undecided.Notify()
	return fmt.Errorf("merge promotion %d: %w: somebody who has signed it off may not any more", j.promotion.Number,
		gh.ErrTransient)
}
