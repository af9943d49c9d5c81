package app

import (
	"context"
	"errors"

	"waybill/app/api"
	"waybill/promotion"
	"waybill/store"
)

// Report makes freight of what CI says that it has made. The same report again is the same freight.
func (b adapter) Report(ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, line store.Event) (promotion.Freight, bool, error) {
	return b.a.ReportFreight(ctx, row, w, r, line)
}

// ReportFreight makes freight of a report, and notes in the audit trail who has made it.
func (a *App) ReportFreight(ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, line store.Event) (f promotion.Freight, fresh bool, err error) {
	commit, err := a.builtCommit(ctx, row, w, r)
	if err != nil {
		return f, false, err
	}
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		f, fresh, err = recordReport(tx, row, w, r, commit, line)
		return err
	})
	if err == nil {
		a.undecided.notify()
	}
	return f, fresh, err
}

// builtCommit asks for the commit of a report. Freight belongs to a commit that GitHub knows: that is where people see
// how far it has come.
func (a *App) builtCommit(ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build) (promotion.Head, error) {
	client, err := a.client(w.Repo)
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

// recordReport records the freight of a report, unless it is there, and the line about it.
func recordReport(tx *store.Tx, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, commit promotion.Head, line store.Event) (f promotion.Freight, fresh bool, err error) {
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

// newestOf returns the newest freight of a warehouse; its zero value if there is none.
func newestOf(tx *store.Tx, pipeline int64, w *promotion.Warehouse) (promotion.Freight, error) {
	newest, err := tx.Facts.FreightOf(pipeline, w.Name, 1)
	if err != nil || len(newest) == 0 {
		return promotion.Freight{}, err
	}
	return newest[0], nil
}
