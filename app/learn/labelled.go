package learn

import (
	"context"

	"waybill/app/surface"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// LabelRequestOf asks for what people have wished of the pull request that a freight was, once it is complete with the
// images that are known.
func (rq *Requests) LabelRequestOf(ctx context.Context, w *promotion.Warehouse, f promotion.Freight) (work.Record, error) {
	err := rq.Store.View(ctx, func(tx *store.Tx) (err error) {
		f, err = tx.Facts.WithImages(w, f)
		return err
	})
	if err != nil || f.Pull == 0 || len(w.Awaits(f)) > 0 {
		return nil, err
	}
	return rq.askedByLabel(ctx, f.Repo, f.Pull)
}

// askedByLabel asks for what people have wished of a pull request before it became freight.
func (rq *Requests) askedByLabel(ctx context.Context, repo promotion.Repo, number int) (work.Record, error) {
	var wishes []store.LabelRequest
	err := rq.Store.View(ctx, func(tx *store.Tx) (err error) {
		wishes, err = tx.Facts.LabelRequests(repo, number)
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []work.Record
	for _, w := range wishes {
		rec, err := rq.Ask(ctx, surface.RequestByLabel(0, repo, number, w.By, rq.Clock(), surface.PromoteCommand(w.Label)))
		if err != nil {
			return nil, err
		}
		all = append(all, rec, func(tx *store.Tx) error { return tx.Facts.ForgetLabelRequest(repo, number, w.Label) })
	}
	return work.InOrder(all), nil
}
