package intake

import (
	"context"

	"waybill/app/work"
	"waybill/handlers"
	"waybill/store"
)

// unfinished has the pipelines resynced that take freight from a repository, or have files there: a pull request was
// merged by a commit that GitHub did not tell.
func (in *Intake) unfinished(_ context.Context, from *handlers.From, _ *handlers.Unfinished) (work.Record, error) {
	all := in.Pipelines.Concerned(from.Repo)
	return func(tx *store.Tx) error {
		for _, one := range all {
			if err := tx.Clocks.AskResync(one.Row.ID); err != nil {
				return err
			}
		}
		return nil
	}, nil
}
