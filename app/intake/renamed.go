package intake

import (
	"context"

	"waybill/app/work"
	"waybill/handlers"
	"waybill/store"
)

// renamed takes over the new name of a home, if a delivery has another name for it than Waybill knows: the repository
// was renamed, or its owner, of which GitHub does not tell for each repository. It writes the name at once, because the
// rest of the delivery is about that name, and asks for a resync, because earlier deliveries may not have been
// understood.
func (in *Intake) renamed(ctx context.Context, told *handlers.Told) error {
	known := in.Pipelines.Home(told.RepoID)
	if known == "" || told.Repo == "" || known == told.Repo {
		return nil
	}
	rec, head, err := in.learn.Files.ReadPipeline(ctx, told.Installation, told.Repo)
	if err != nil || head == "" { // the delivery is late, and has the name from before
		return err
	}
	return in.Store.Update(ctx, work.InOrder([]work.Record{rec, func(tx *store.Tx) error {
		return tx.Clocks.AskResync(told.RepoID)
	}}))
}

// ownerRenamed has the repositories of an owner looked for under their new names.
func (in *Intake) ownerRenamed(context.Context, *handlers.From, *handlers.OwnerRenamed) (work.Record, error) {
	return func(tx *store.Tx) error { return tx.Clocks.AskDiscovery() }, nil
}
