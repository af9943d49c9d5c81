package app

import (
	"context"
	"slices"
	"waybill/app/gh"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// merge merges a promotion's pull request, pinned to the commit that Waybill made. Whatever GitHub answers is a fact:
// merged, refused for now, in conflict with its base, or no longer what it was.
func (a *App) merge(ctx context.Context, j *job) (record, error) {
	if j.promotion.State == promotion.Verifying || j.promotion.State.Ended() && j.promotion.MergeSHA != "" {
		return nil, a.mergedBefore(ctx, j)
	}
	if err := a.signedStill(ctx, j); err != nil {
		return nil, err
	}
	b, _, err := a.blueprint(ctx, j)
	if err != nil {
		return nil, err
	}
	base := b.Base
	outcome, err := j.client.Merge(ctx, gh.MergeRequest{
		Pull: j.attempt.Pull, Base: base.Branch, Head: j.attempt.Made.Head, Method: j.mergeMethod(base),
		Title: say.PullTitle(&j.promotion), Message: j.commitMessage(),
	})
	if err != nil {
		return nil, err
	}
	j.idle = outcome.Result != gh.Merged || !outcome.Pull.By.Bot()
	return func(tx *store.Tx) error {
		if outcome.Text != "" {
			if err := tx.Ledger.SaveUnmergeable(j.Pipeline, j.promotion.Number, j.Round, outcome.Text); err != nil {
				return err
			}
		}
		_, err := tx.Facts.RecordPull(outcome.Pull)
		return err
	}, nil
}

// mergeMethod returns how a promotion's pull request is merged. Where the branch is to follow from the freight's
// commit, squashing would lose that it does.
func (j *job) mergeMethod(base gh.Base) string {
	if j.stage.Whole() && j.stage.Merge.Method == "" && slices.Contains(base.Methods, "merge") {
		return "merge"
	}
	return base.MergeMethod(j.stage.Merge.Method)
}

// dequeue takes a promotion's pull request out of GitHub's merge queue, because it must not be merged now.
func (a *App) dequeue(ctx context.Context, j *job) (record, error) {
	pull, err := j.client.Dequeue(ctx, j.attempt.Pull)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		_, err := tx.Facts.RecordPull(pull)
		return err
	}, nil
}

// mergedBefore ends a merge whose answer was lost: a webhook or a resync has told of it first, and the promotion has
// gone on. Whether it was this merge shows in who did it.
func (a *App) mergedBefore(ctx context.Context, j *job) error {
	return a.store.View(ctx, func(tx *store.Tx) error {
		pull, err := tx.Facts.Pull(j.files.Repo, j.attempt.Pull)
		j.idle = !pull.By.Bot()
		return err
	})
}

// close closes the pull request of a promotion that is not to be merged any more, and deletes its branch.
func (a *App) close(ctx context.Context, j *job) (record, error) {
	branch := j.branch()
	if j.past {
		branch = j.attempt.Branch
	}
	if branch == "" { // nothing was made
		j.idle = true
		return nil, nil
	}
	pull, err := j.client.Close(ctx, gh.CloseRequest{
		Pull: j.attempt.Pull, Branch: branch, Head: j.attempt.Made.Head, Marker: j.pipeline.Marker(j.promotion.Number),
		Comment: "Closed: " + say.Sentence(j.Reason) + ".",
	})
	j.idle = pull.State != promotion.PullClosed || !pull.By.Bot()
	if err != nil || pull.Number == 0 {
		return nil, err
	}
	return func(tx *store.Tx) error {
		_, err := tx.Facts.RecordPull(pull)
		return err
	}, nil
}
