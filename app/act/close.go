package act

import (
	"context"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// close closes the pull request of a promotion that must not be merged any more, and deletes its branch.
func (a *Executor) close(ctx context.Context, j *job) (work.Record, error) {
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
