package resync

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// mostAwaiting is how many pieces of a warehouse's newest freight a resync looks for the images of.
const mostAwaiting = 100

// rereadImages asks for the images of freight that waits for them, freight that this resync has found included.
func (r *Resyncer) rereadImages(ctx context.Context, l *survey) (work.Record, error) {
	var all []work.Record
	for _, w := range l.p.Warehouses {
		rec, err := r.imagesOf(ctx, l, w)
		if err != nil {
			return work.InOrder(all), err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}

func (r *Resyncer) imagesOf(ctx context.Context, l *survey, w *promotion.Warehouse) (work.Record, error) {
	if len(w.Images) == 0 {
		return nil, nil
	}
	waiting, err := r.waiting(ctx, l, w)
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	known, err := r.pushedFor(ctx, l, w, waiting)
	if err != nil {
		return nil, err
	}
	all := []work.Record{func(tx *store.Tx) error {
		if err := work.RecordAll(known, tx.Freight.RecordImage); err != nil {
			return err
		}
		newest, err := tx.Freight.Newest(l.row.ID, w.Name, mostAwaiting)
		if err != nil {
			return err
		}
		return work.RecordAll(newest, func(f promotion.Freight) error { return tx.Freight.Complete(l.row.ID, w, f) })
	}}
	for _, f := range waiting {
		requests, err := r.learn.Requests.LabelRequestsOf(ctx, w, withImages(f, known))
		if err != nil {
			return nil, err
		}
		all = append(all, requests)
	}
	return work.InOrder(all), nil
}

// pushedFor asks for the images of a warehouse that were built of the commits of some freight.
func (r *Resyncer) pushedFor(
	ctx context.Context, l *survey, w *promotion.Warehouse, waiting []promotion.Freight,
) (known []promotion.Image, err error) {
	for _, awaited := range w.Images {
		some, err := r.Hub.Images(ctx, w.Repo, awaited.Image)
		// GitHub shows this package to no App, or not now: webhooks, or the next resync, report its images
		if errors.Is(err, gh.ErrRefused) {
			zerolog.Ctx(ctx).Info().Err(err).Str(work.KeyRepo, string(l.row.Repo)).Msg("images cannot be asked for")
			continue
		}
		if err != nil {
			return nil, err
		}
		known = append(known, builtOf(waiting, some)...)
	}
	return known, nil
}

// waiting lists the freight of a warehouse that waits for images.
func (r *Resyncer) waiting(
	ctx context.Context, l *survey, w *promotion.Warehouse,
) (waiting []promotion.Freight, err error) {
	var all []promotion.Freight
	err = r.Store.View(ctx, func(tx *store.Tx) error {
		all, err = tx.Freight.Newest(l.row.ID, w.Name, mostAwaiting)
		return err
	})
	for _, f := range l.found {
		if f.Warehouse == w.Name {
			all = append(all, f)
		}
	}
	if w.Kind == promotion.FromPushes {
		for _, head := range l.built {
			all = append(all, promotion.Freight{Warehouse: w.Name, SHA: head})
		}
	}
	for _, f := range all {
		if len(w.Awaits(f)) > 0 {
			waiting = append(waiting, f)
		}
	}
	return waiting, err
}

// builtOf returns the images of the commits of some freight, in their order.
func builtOf(freight []promotion.Freight, images []promotion.Image) (fitting []promotion.Image) {
	for _, i := range images {
		for _, f := range freight {
			if i.BuiltOf(f.SHA) {
				fitting = append(fitting, i)
				break
			}
		}
	}
	return fitting
}

// withImages returns a freight with the images of its commit.
func withImages(f promotion.Freight, images []promotion.Image) promotion.Freight {
	for _, i := range images {
		if i.BuiltOf(f.SHA) {
			f = f.With(promotion.Artifact{Image: i.Image})
		}
	}
	return f
}
