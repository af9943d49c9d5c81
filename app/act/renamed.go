package act

import (
	"context"
	"errors"
	"fmt"

	"waybill/app/gh"
	"waybill/app/work"
)

// renamed finds out whether GitHub has refused an effect because the default branch of the home has another name by
// now, of which no webhook has told yet. Then it takes that over, and the effect is tried again under the new name. It
// returns the error that is left.
func (a *Executor) renamed(ctx context.Context, j *job, failed error) error {
	if errors.Is(failed, gh.ErrNoAccess) {
		return failed
	}
	home, err := a.Client(j.row.Repo)
	if err != nil {
		return err
	}
	head, err := home.Branches.Default(ctx)
	if err != nil {
		return err
	}
	if head.RepoID != j.row.ID || head.Branch == j.row.Branch {
		return failed
	}
	rec, _, err := a.learn.Files.ReadPipeline(ctx, j.row.Installation, j.row.Repo)
	if err == nil {
		err = a.Store.Update(ctx, work.InOrder([]work.Record{rec}))
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: the default branch is called %s by now", gh.ErrTransient, head.Branch)
}
