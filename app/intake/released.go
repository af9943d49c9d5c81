package intake

import (
	"context"

	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// released records the freight of a release, in every warehouse that takes its version. A delivery only says that the
// release has changed, so GitHub is asked for its present state.
func (in *Intake) released(ctx context.Context, from *handlers.From, r *handlers.Released) (work.Record, error) {
	return in.published(ctx, from, promotion.FromReleases, r.Tag)
}

// tagged records the freight of a tag in the same way.
func (in *Intake) tagged(ctx context.Context, from *handlers.From, t *handlers.TagPushed) (work.Record, error) {
	return in.published(ctx, from, promotion.FromTags, t.Tag)
}

func (in *Intake) published(
	ctx context.Context, from *handlers.From, kind promotion.WarehouseKind, tag string,
) (work.Record, error) {
	wanting, err := in.lacking(ctx, in.Pipelines.SubscribersToVersion(kind, from.Repo, tag), tag)
	if err != nil || len(wanting) == 0 {
		return nil, err
	}
	client, err := in.Hub.Installation(from.Installation, from.Repo)
	if err != nil {
		return nil, err
	}
	read := client.Releases.Read
	if kind == promotion.FromTags {
		read = client.Tags.Read
	}
	seen, found, err := read(ctx, tag)
	if err != nil {
		return nil, err
	}
	if !found {
		return lookedForLater(wanting), in.notYet(from, "tag "+tag)
	}
	seen.Pusher = promotion.HandOf(promotion.PusherPart, from.Sender, from.SenderIsBot)
	return func(tx *store.Tx) error {
		return work.RecordAll(wanting, func(t pipelines.Subscriber) error {
			since, err := tx.Warehouses.Since(t.Pipeline, t.Warehouse)
			if freight, is := learn.Published(t.Warehouse, seen, since); is && err == nil {
				_, err = tx.Freight.Record(t.Pipeline, freight)
			}
			return err
		})
	}, nil
}

// lacking returns the warehouses that have no freight of a tag yet. GitHub reports a release several times, and a tag
// keeps its first meaning when it is moved.
func (in *Intake) lacking(
	ctx context.Context, all []pipelines.Subscriber, tag string,
) (wanting []pipelines.Subscriber, err error) {
	err = in.Store.View(ctx, func(tx *store.Tx) error {
		return work.RecordAll(all, func(t pipelines.Subscriber) error {
			known, err := tx.Freight.Has(t.Pipeline, t.Warehouse.NameOf(tag))
			if !known {
				wanting = append(wanting, t)
			}
			return err
		})
	})
	return wanting, err
}
