package act

import (
	"context"
	"fmt"
	"time"

	"waybill/promotion"
	"waybill/store"
)

// maxTurn is how long others wait for one that is made anew: its checks may take long, or a person may hold it.
const maxTurn = 10 * time.Minute

// turnError says that another promotion is merged into the branch first.
type turnError struct{ until time.Time }

func (e *turnError) Error() string {
	return fmt.Sprintf("another promotion is made anew and merged first, until %s at most", e.until.Format(time.TimeOnly))
}

// awaitTurn postpones a merge that would undo what is being done for another promotion, or be refused for the same
// reason: while a pull request is made anew because its branch has moved, none that changes the same files is merged,
// and where pull requests must be up to date, none at all. So of many that are ready for one branch each is made anew
// once, and not once for each other. upToDate says that the branch is known to want that; a turn of one that was
// refused for it tells, too. A promotion with a turn of its own waits for those before it only, a rollback for none.
func (a *Executor) awaitTurn(ctx context.Context, j *job, upToDate bool) error {
	if j.promotion.Class == promotion.Rollback {
		return nil
	}
	var turns []store.Turn
	err := a.Store.ViewOne(ctx, func(tx *store.Tx) (err error) {
		turns, err = tx.Turns.In(j.files, tx.Now.Add(-maxTurn))
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range turns {
		if j.has(t) {
			return nil
		}
		if !upToDate && t.Attempt.Behind == "" && !t.Attempt.Writes(j.attempt.Paths()) {
			continue
		}
		wait := promotion.Wait{Stage: t.Stage, Number: t.Attempt.Promotion, Until: t.Since.Add(maxTurn)}
		err := a.Store.Update(ctx, func(tx *store.Tx) error {
			return tx.Turns.SaveWait(j.Pipeline, j.promotion.Number, wait)
		})
		if err != nil {
			return err
		}
		return &turnError{wait.Until}
	}
	return nil
}

// has reports whether a turn is that of the job's promotion.
func (j *job) has(t store.Turn) bool {
	return t.Pipeline == j.Pipeline && t.Attempt.Promotion == j.promotion.Number
}
