package act

import (
	"context"

	"waybill/app/gh"
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
	demanded, err := a.Store.BranchRules(ctx, j.files)
	if err != nil {
		return nil, err
	}
	if err := a.awaitTurn(ctx, j, demanded.UpToDate()); err != nil {
		return nil, err
	}
	b, _, err := a.blueprint(ctx, j)
	if err != nil {
		return nil, err
	}
	if err := a.checkApprovals(ctx, j); err != nil {
		return nil, err
	}
	var known promotion.Pull
	withdrawn := false
	err = a.Store.View(ctx, func(tx *store.Tx) (err error) {
		if known, err = tx.Pulls.ByNumber(j.files.Repo, j.attempt.Pull); err != nil {
			return err
		}
		withdrawn, err = tx.Outbox.Withdrawn(&j.Effect)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case withdrawn:
		return nil, a.lookMergeUp(ctx, j)
	}
	outcome, err := a.tryMerge(ctx, j, demanded, gh.MergeRequest{
		Pull: j.attempt.Pull, Base: j.files.Name, Head: j.attempt.Made.Head, Known: known,
		Method: j.mergeMethod(b.Base.Methods, demanded), Title: say.PullTitle(&j.promotion), Message: j.commitMessage(),
	})
	if err != nil {
		return nil, err
	}
	if outcome.Result == gh.Behind {
		if err := a.awaitTurn(ctx, j, true); err != nil {
			return nil, err
		}
	}
	j.idle = outcome.Result != gh.Merged || !outcome.Pull.By.Bot()
	return func(tx *store.Tx) error {
		if err := j.saveOutcome(tx, outcome); err != nil {
			return err
		}
		_, err := tx.Pulls.Record(outcome.Pull)
		return err
	}, nil
}

// lookMergeUp leaves a pull request unmerged that must not be merged now. If the merge was tried before, it finds out
// whether GitHub has done it: the answer may be lost.
func (a *Executor) lookMergeUp(ctx context.Context, j *job) error {
	if j.Attempts > 1 {
		pull, err := j.client.Pulls.Reread(ctx, j.attempt.Pull)
		if err != nil {
			return err
		}
		err = a.Store.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Pulls.Record(pull)
			return err
		})
		if err != nil {
			return err
		}
	}
	return errWithdrawn
}

// saveOutcome records GitHub's answer to the request to merge. If the branch has moved on from the commit, it is the
// promotion's turn to be made anew. If it is not merged for another reason, the next one may be.
func (j *job) saveOutcome(tx *store.Tx, o gh.MergeOutcome) error {
	n := j.promotion.Number
	if err := tx.Turns.SaveWait(j.Pipeline, n, promotion.Wait{}); err != nil {
		return err
	}
	switch o.Result {
	case gh.Conflicts:
		return tx.Turns.Take(j.Pipeline, n)
	case gh.Behind:
		if err := tx.Attempts.SaveBehind(j.Pipeline, n, o.Pull.HeadSHA); err != nil {
			return err
		}
		return tx.Turns.Take(j.Pipeline, n)
	case gh.Merged: // the turn ends when that is decided
		return nil
	case gh.NotAllowed:
		if err := tx.Attempts.SaveUnmergeable(j.Pipeline, n, j.Round, o.Text); err != nil {
			return err
		}
	}
	return tx.Turns.Pass(j.Pipeline, n)
}

// dequeue takes a promotion's pull request out of GitHub's merge queue, because it must not be merged now.
func (a *Executor) dequeue(ctx context.Context, j *job) (work.Record, error) {
	pull, err := j.client.MergeQueue.Remove(ctx, j.attempt.Pull)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		_, err := tx.Pulls.Record(pull)
		return err
	}, nil
}

// mergedBefore ends a merge whose answer was lost: a webhook or a resync has reported it first, and the promotion has
// gone on. The account that merged tells whether it was this merge.
func (a *Executor) mergedBefore(ctx context.Context, j *job) error {
	return a.Store.View(ctx, func(tx *store.Tx) error {
		pull, err := tx.Pulls.ByNumber(j.files.Repo, j.attempt.Pull)
		j.idle = !pull.By.Bot()
		return err
	})
}
