package intake

import (
	"context"

	"waybill/app/work"
	"waybill/handlers"
)

// rebranched reads the pipeline files of a home whose default branch is, as a delivery says, not the one that Waybill
// knows. What else the delivery tells of, such as a pull request that GitHub has turned to the new name, is about that
// branch, and the delivery about the change itself may come later.
func (in *Intake) rebranched(ctx context.Context, told *handlers.Told) (work.Record, error) {
	known := in.Pipelines.Branch(told.RepoID)
	if known == "" || told.DefaultBranch == "" || known == told.DefaultBranch {
		return nil, nil
	}
	rec, _, err := in.learn.Files.ReadPipeline(ctx, told.Installation, told.Repo)
	return rec, err
}
