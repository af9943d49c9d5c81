package app

import (
	"context"
	"errors"
	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/store"

	"github.com/rs/zerolog"
)

// recordFreight records freight of a warehouse, with those of its images that are known already.
func recordFreight(tx *store.Tx, t subscriber, f promotion.Freight) error {
	fresh, err := tx.Facts.RecordFreight(t.pipeline, f)
	if err != nil || !fresh {
		return err
	}
	return tx.Facts.CompleteFreight(t.pipeline, t.warehouse, f)
}

// imaged gives an image that was pushed to the freight that waits for it, and keeps it for freight that is still to
// come.
func (a *App) imaged(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.Image == nil {
		return nil, nil
	}
	waiting := a.pipelines.awaiting(f.Image.Image)
	if len(waiting) == 0 {
		return nil, nil
	}
	all := []record{func(tx *store.Tx) error { return tx.Facts.RecordImage(*f.Image) }}
	for _, t := range waiting {
		rec, err := a.completed(ctx, t, *f.Image)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}

// completed gives the freight of a warehouse an image of its commit, and asks for what people have wished of what is
// complete with it.
func (a *App) completed(ctx context.Context, t subscriber, image promotion.Image) (record, error) {
	var built []promotion.Freight
	err := a.store.View(ctx, func(tx *store.Tx) error {
		return recordAll(image.Of(), func(commit promotion.SHA) error {
			some, err := tx.Facts.FreightBuiltOf(t.pipeline, t.warehouse.Name, commit)
			built = append(built, some...)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	all := []record{func(tx *store.Tx) error {
		return recordAll(image.Of(), func(commit promotion.SHA) error {
			some, err := tx.Facts.FreightBuiltOf(t.pipeline, t.warehouse.Name, commit)
			if err != nil {
				return err
			}
			return recordAll(some, func(f promotion.Freight) error { return tx.Facts.CompleteFreight(t.pipeline, t.warehouse, f) })
		})
	}}
	for _, f := range built {
		wishes, err := a.labelRequestOf(ctx, t.warehouse, f.With(promotion.Artifact{Image: image.Image}))
		if err != nil {
			return nil, err
		}
		all = append(all, wishes)
	}
	return inOrder(all), nil
}

// askForImages has GitHub asked once for the images of freight that is late, before people believe that there are none.
func askForImages(tx *store.Tx, row store.PipelineRow, s *promotion.Snapshot) error {
	if row.ResyncFailures > 0 || !gate.KeeperOf(s, tx.Now).Overdue().After(row.Resynced) {
		return nil
	}
	return tx.Clocks.AskResync(row.ID)
}

// mostAwaiting is how many pieces of freight of a warehouse, the newest, a resync looks for the images of.
const mostAwaiting = 100

// rereadImages asks for the images of freight that waits for them, what this very resync has found included.
func (a *App) rereadImages(ctx context.Context, l *look) (record, error) {
	var all []record
	for _, w := range l.p.Warehouses {
		rec, err := a.imagesOf(ctx, l, w)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}

func (a *App) imagesOf(ctx context.Context, l *look, w *promotion.Warehouse) (record, error) {
	if len(w.Images) == 0 {
		return nil, nil
	}
	waiting, err := a.waiting(ctx, l, w)
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	known, err := a.pushedFor(ctx, l, w, waiting)
	if err != nil {
		return nil, err
	}
	all := []record{func(tx *store.Tx) error {
		if err := recordAll(known, tx.Facts.RecordImage); err != nil {
			return err
		}
		newest, err := tx.Facts.FreightOf(l.row.ID, w.Name, mostAwaiting)
		if err != nil {
			return err
		}
		return recordAll(newest, func(f promotion.Freight) error { return tx.Facts.CompleteFreight(l.row.ID, w, f) })
	}}
	for _, f := range waiting {
		wishes, err := a.labelRequestOf(ctx, w, withImages(f, known))
		if err != nil {
			return nil, err
		}
		all = append(all, wishes)
	}
	return inOrder(all), nil
}

// pushedFor asks for the images of a warehouse that are of the commits of some freight.
func (a *App) pushedFor(ctx context.Context, l *look, w *promotion.Warehouse, waiting []promotion.Freight) (known []promotion.Image, err error) {
	for _, awaited := range w.Images {
		some, err := a.hub.Images(ctx, w.Repo, awaited.Image)
		if errors.Is(err, gh.ErrRefused) { // it is a package that GitHub shows to no App: its webhooks tell of it, and nothing else does
			zerolog.Ctx(ctx).Info().Err(err).Str(keyRepo, string(l.row.Repo)).Msg("images cannot be asked for")
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
func (a *App) waiting(ctx context.Context, l *look, w *promotion.Warehouse) (waiting []promotion.Freight, err error) {
	var all []promotion.Freight
	err = a.store.View(ctx, func(tx *store.Tx) error {
		all, err = tx.Facts.FreightOf(l.row.ID, w.Name, mostAwaiting)
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
