package learn

import (
	"context"
	"errors"

	"waybill/app/api"
	"waybill/promotion"
	"waybill/store"
)

// ReportFreight records the freight of a report, and the reporter in the audit trail. fresh is false if the freight is
// known.
func (rp *Reports) ReportFreight(
	ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, line store.Event,
) (f promotion.Freight, fresh bool, err error) {
	commit, err := rp.BuiltCommit(ctx, row, w, r)
	if err != nil {
		return f, false, err
	}
	err = rp.Store.Update(ctx, func(tx *store.Tx) error {
		f, fresh, err = RecordReport(tx, row, w, r, commit, line)
		return err
	})
	if err == nil {
		rp.Undecided.Notify()
	}
	return f, fresh, err
}

// BuiltCommit asks GitHub for the commit of a report. It returns api.ErrNoCommit if there is none: freight belongs to a
// commit at GitHub, because its check runs are there.
func (rp *Reports) BuiltCommit(
	ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build,
) (promotion.Head, error) {
	client, err := rp.Client(w.Repo)
	if err != nil {
		return promotion.Head{}, err
	}
	commits, err := client.Commits.Heads(ctx, []promotion.SHA{r.Commit})
	if err == nil && len(commits) == 0 {
		err = api.ErrNoCommit
	}
	if err != nil {
		return promotion.Head{}, err
	}
	return commits[0], nil
}

// RecordReport records the freight of a report and its line in the audit trail, unless the freight is known. It returns
// api.ErrOtherContents if there is freight of that version with other contents.
func RecordReport(
	tx *store.Tx, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, commit promotion.Head,
	line store.Event,
) (f promotion.Freight, fresh bool, err error) {
	newest, err := newestOf(tx, row.ID, w)
	if err != nil {
		return f, false, err
	}
	f = w.Reported(r, commit, newest, tx.Now)
	known, err := tx.Freight.ByID(row.ID, f.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return known, false, err
	}
	if fresh, err = tx.Freight.Record(row.ID, f); err != nil {
		return f, false, err
	}
	if !fresh {
		return f, false, api.ErrOtherContents
	}
	return f, true, tx.Audit.Log(line)
}

// newestOf returns the newest freight of a warehouse; its zero value if there is none.
func newestOf(tx *store.Tx, pipeline int64, w *promotion.Warehouse) (promotion.Freight, error) {
	newest, err := tx.Freight.Newest(pipeline, w.Name, 1)
	if err != nil || len(newest) == 0 {
		return promotion.Freight{}, err
	}
	return newest[0], nil
}
