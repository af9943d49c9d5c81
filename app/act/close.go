package act

import (
	"context"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// close closes the pull request of a promotion that must not be merged any more, and deletes its branch. The branch may
// be there without a pull request, or not at all: then it is deleted only where Waybill left it.
func (a *Executor) close(ctx context.Context, j *job) (work.Record, error) {
	var branch string
	var head promotion.SHA
	err := a.Store.View(ctx, func(tx *store.Tx) (err error) {
		branch, head, err = tx.Attempts.LeftAt(j.Pipeline, j.promotion.Number, j.Step)
		return err
	})
	if err != nil {
		return nil, err
	}
	if branch == "" { // nothing was made
		j.idle = true
		return nil, nil
	}
	mark := j.pipeline.Marker(j.promotion.Number)
	if j.Round > 0 { // it was closed before
		mark = marker(j)
	}
	pull, err := j.client.Pulls.Close(ctx, gh.CloseRequest{
		Pull: j.attempt.Pull, Branch: branch, Head: head, Marker: mark,
		Comment: say.ClosedText(j.Reason),
	})
	j.idle = pull.State != promotion.PullClosed || !pull.By.Bot()
	if err != nil || pull.Number == 0 {
		return nil, err
	}
	return func(tx *store.Tx) error {
		_, err := tx.Pulls.Record(pull)
		return err
	}, nil
}
