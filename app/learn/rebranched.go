package learn

import (
	"context"
	"time"

	"waybill/app/gh"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// mergedBefore returns how to record the freight of pull requests that were merged into the default branch of a home
// before it got its present name. GitHub keeps the old name of the branch with them, so no resync finds them later.
func (fs *Files) mergedBefore(ctx context.Context, row store.PipelineRow, p *promotion.Pipeline) (work.Record, error) {
	if !row.Renamed {
		return nil, nil
	}
	old, err := fs.Home(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	client, err := fs.Client(row.Repo)
	if err != nil {
		return nil, err
	}
	var all []work.Record
	var merged []gh.MergedPull
	for _, w := range p.Warehouses {
		if w.Kind != promotion.FromPulls || w.Repo != row.Repo || w.Branch != row.Branch {
			continue
		}
		if merged == nil {
			since := promotion.Later(old.Resynced.Add(-Overlap), old.Created.Truncate(time.Second))
			if merged, err = client.Pulls.MergedInto(ctx, old.Branch, since); err != nil {
				return nil, err
			}
		}
		for _, m := range merged {
			rec, err := fs.freightOf(ctx, client, pipelines.Subscriber{Pipeline: row.ID, Warehouse: w}, m)
			if err != nil {
				return nil, err
			}
			all = append(all, rec)
		}
	}
	return work.InOrder(all), nil
}

// freightOf returns how to record a merged pull request, and what people have asked for by labels on it, if a warehouse
// takes it.
func (fs *Files) freightOf(
	ctx context.Context, client *gh.Client, t pipelines.Subscriber, m gh.MergedPull,
) (work.Record, error) {
	f, is, err := Merged(ctx, client, t.Warehouse, m)
	if err != nil || !is {
		return nil, err
	}
	requests, err := (&Requests{fs.Env}).LabelRequestsOf(ctx, t.Warehouse, f)
	if err != nil {
		return nil, err
	}
	return work.InOrder([]work.Record{func(tx *store.Tx) error { return RecordFreight(tx, t, f) }, requests}), nil
}
