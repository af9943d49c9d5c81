package app

import (
	"context"
	"time"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// released makes freight of a release or a tag, in every warehouse that takes its version. A delivery only says that
// something has happened to it: how it is now is asked for.
func (a *App) released(ctx context.Context, f *handlers.Facts) (record, error) {
	kind, tag, ask := promotion.FromReleases, f.Release, (*gh.Client).Release
	if f.Tag != "" {
		kind, tag, ask = promotion.FromTags, f.Tag, (*gh.Client).Tag
	}
	wanting, err := a.lacking(ctx, a.pipelines.subscribersOf(kind, f.Repo, tag), tag)
	if err != nil || len(wanting) == 0 {
		return nil, err
	}
	client, err := a.hub.Installation(f.Installation, f.Repo)
	if err != nil {
		return nil, err
	}
	seen, found, err := ask(client, ctx, tag)
	if err != nil {
		return nil, err
	}
	if !found { // it was taken back, or what answers has not heard of it yet
		return func(tx *store.Tx) error {
			return recordAll(wanting, func(t subscriber) error { return tx.Clocks.AskResync(t.pipeline) })
		}, nil
	}
	return func(tx *store.Tx) error {
		return recordAll(wanting, func(t subscriber) error {
			since, err := tx.Facts.WarehouseSince(t.pipeline, t.warehouse)
			if freight, is := published(t.warehouse, seen, since); is && err == nil {
				_, err = tx.Facts.RecordFreight(t.pipeline, freight)
			}
			return err
		})
	}, nil
}

// lacking returns the warehouses that have no freight of a tag yet. GitHub tells of a release several times, and a tag
// means what it meant first, wherever it has been moved.
func (a *App) lacking(ctx context.Context, all []subscriber, tag string) (wanting []subscriber, err error) {
	err = a.store.View(ctx, func(tx *store.Tx) error {
		return recordAll(all, func(t subscriber) error {
			known, err := tx.Facts.HasFreight(t.pipeline, t.warehouse.NameOf(tag))
			if !known {
				wanting = append(wanting, t)
			}
			return err
		})
	})
	return wanting, err
}

// published returns what a release or tag is to a warehouse that there is since a time: freight, if it takes it.
func published(w *promotion.Warehouse, t promotion.Tagged, since time.Time) (promotion.Freight, bool) {
	if t.At.Before(since.Truncate(time.Second)) { // GitHub's times have whole seconds
		return promotion.Freight{}, false
	}
	return w.Versioned(t)
}

// publishedIn lists the freight of a warehouse of releases or tags, whether or not anybody has told of it. What has
// only lately become what the warehouse takes, such as a pre-release that is one no more, is among it.
func (a *App) publishedIn(ctx context.Context, client *gh.Client, l *look, w *promotion.Warehouse) ([]promotion.Freight, error) {
	list := client.Releases
	if w.Kind == promotion.FromTags {
		list = client.Tags
	}
	seen, err := list(ctx, l.known.ResyncedAt.Add(-overlap))
	if err != nil {
		return nil, err
	}
	var since time.Time
	err = a.store.View(ctx, func(tx *store.Tx) (err error) {
		since, err = tx.Facts.WarehouseSince(l.row.ID, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	var found []promotion.Freight
	for _, t := range seen {
		if f, is := published(w, t, since); is {
			found = append(found, f)
		}
	}
	return found, nil
}
