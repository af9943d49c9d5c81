package intake

import (
	"context"

	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// renamed takes over the new name of a home, if a delivery has another name for it than Waybill knows: the repository
// was renamed, or its owner, of which GitHub does not tell for each repository. It writes the name at once, because the
// rest of the delivery is about that name, and asks for a resync, because earlier deliveries may not have been
// understood. If the delivery is late, and has a name from before, it returns the name that the home has now.
func (in *Intake) renamed(ctx context.Context, told *handlers.Told) (now promotion.Repo, err error) {
	known := in.Pipelines.Home(told.RepoID)
	if known == "" || told.Repo == "" || known == told.Repo {
		return "", nil
	}
	rec, head, err := in.learn.Files.ReadPipeline(ctx, told.Installation, told.Repo)
	if err != nil {
		return "", err
	}
	if head == "" { // nothing has the name of the delivery any more
		if known.HasLeft() {
			return "", nil
		}
		return known, nil
	}
	return "", in.Store.Update(ctx, work.InOrder([]work.Record{rec, func(tx *store.Tx) error {
		return tx.Clocks.AskResync(told.RepoID)
	}}))
}

// ownerRenamed has the repositories of an owner looked for under their new names.
func (in *Intake) ownerRenamed(context.Context, *handlers.From, *handlers.OwnerRenamed) (work.Record, error) {
	return func(tx *store.Tx) error { return tx.Clocks.AskDiscovery() }, nil
}
