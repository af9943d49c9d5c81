package intake

import (
	"context"

	"github.com/rs/zerolog"

	"waybill/handlers"
)

// tookName reports whether a delivery comes from a repository that has the name of another one which allowed a
// pipeline. Freight and signals are known by names, so nothing of such a delivery is learned: tells is false. It is
// true of what tells of the repository itself, or of access to it: pipelines that name it are then told.
func (in *Intake) tookName(ctx context.Context, told *handlers.Told) (took, tells bool, err error) {
	if told.RepoID == 0 {
		return false, true, nil
	}
	if took, err = in.Store.TookName(ctx, told.Repo, told.RepoID); err != nil || !took {
		return false, true, err
	}
	for _, e := range told.Events {
		switch e.(type) {
		case *handlers.Access, *handlers.RepositoryChange:
			return true, true, nil
		}
	}
	zerolog.Ctx(ctx).Warn().Int64("id", told.RepoID).
		Msg("not taken: this repository has the name of another one, which a pipeline means")
	return true, false, nil
}
