package app

import (
	"context"
	"errors"

	"waybill/app/api"
	"waybill/promotion"
	"waybill/store"
)

// Report makes freight of what CI says that it has made. The same report again is the same freight.
func (b backstage) Report(ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, line store.Event) (promotion.Freight, bool, error) {
	return b.a.ReportFreight(ctx, row, w, r, line)
}

// ReportFreight makes freight of a report, and notes in the audit trail who has made it. Freight belongs to a commit that
// GitHub knows: that is where people see how far it has come.
func (a *App) ReportFreight(ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, line store.Event) (f promotion.Freight, fresh bool, err error) {
	client, err := a.client(row.Installation, w.Repo)
	if err != nil {
		return f, false, err
	}
	commits, err := client.Heads(ctx, []promotion.SHA{r.Commit})
	if err != nil {
		return f, false, err
	}
	if len(commits) == 0 {
		return f, false, api.ErrNoCommit
	}
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		newest, err := newestOf(tx, row.ID, w)
		if err != nil {
			return err
		}
		f = w.Reported(r, commits[0], newest, tx.Now)
		known, err := tx.Freight(row.ID, f.ID)
		if !errors.Is(err, store.ErrNotFound) {
			f, fresh = known, false
			return err
		}
		if fresh, err = tx.RecordFreight(row.ID, f); err != nil {
			return err
		}
		if !fresh {
			return api.ErrOtherContents
		}
		return tx.Log(line)
	})
	if err == nil {
		a.undecided.ring()
	}
	return f, fresh, err
}

// newestOf returns the newest freight of a warehouse; its zero value if there is none.
func newestOf(tx *store.Tx, pipeline int64, w *promotion.Warehouse) (promotion.Freight, error) {
	newest, err := tx.FreightOf(pipeline, w.Name, 1)
	if err != nil || len(newest) == 0 {
		return promotion.Freight{}, err
	}
	return newest[0], nil
}
