package intake

import (
	"context"

	"waybill/app/work"
	"waybill/handlers"
	"waybill/store"
)

// unfinished asks for a resync of the pipelines that concern a repository: GitHub has told of a merge there without its
// commit.
func (in *Intake) unfinished(_ context.Context, from *handlers.From, _ *handlers.Unfinished) (work.Record, error) {
	all := in.Pipelines.Concerned(from.Repo)
	return func(tx *store.Tx) error { return askResyncs(tx, all) }, nil
}
