package learn

import (
	"context"
	"errors"

	"waybill/app/api"
	"waybill/promotion"
	"waybill/store"
)

// ReportFreight makes freight of a report, and notes in the audit trail who has made it.
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

// BuiltCommit asks for the commit of a report. Freight belongs to a commit that GitHub knows: that is where people see
// how far it has come.
func (rp *Reports) BuiltCommit(
	ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build,
) (promotion.Head, error) {
	client, err := rp.Client(w.Repo)
	if err != nil {
		return promotion.Head{}, err
	}
	commits, err := client.Heads(ctx, []promotion.SHA{r.Commit})
	if err == nil && len(commits) == 0 {
		err = api.ErrNoCommit
	}
	if err != nil {
		return promotion.Head{}, err
	}
	return commits[0], nil
}

// RecordReport records the freight of a report, unless it is there, and the line about it.
func RecordReport(
	tx *store.Tx, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, commit promotion.Head,
	line store.Event,
) (f promotion.Freight, fresh bool, err error) {
	newest, err := newestOf(tx, row.ID, w)
	if err != nil {
		return f, false, err
	}
	f = w.Reported(r, commit, newest, tx.Now)
	known, err := tx.Facts.Freight(row.ID, f.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return known, false, err
	}
	if fresh, err = tx.Facts.RecordFreight(row.ID, f); err != nil {
		return f, false, err
	}
	if !fresh {
		return f, false, api.ErrOtherContents
	}
	return f, true, tx.Audit.Log(line)
}
