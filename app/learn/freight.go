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

// Overlap is how far behind a resync the next look for merges begins, for those during that resync.
const Overlap = 10 * time.Minute

// NewFreight returns the freight of a pull request that a warehouse accepts.
func NewFreight(
	w *promotion.Warehouse, number int, sha promotion.SHA, merged time.Time, by promotion.Actor, title string,
) promotion.Freight {
	f := promotion.NewFreight(w, number, sha, merged)
	f.Author, f.Title, f.Hands.Unread = by, title, true
	return f
}

// Merged returns the freight of a merged pull request in a warehouse, and whether it is any. It asks GitHub which files
// the pull request changes, unless that is one of Waybill's own.
func Merged(
	ctx context.Context, client *gh.Client, w *promotion.Warehouse, m gh.MergedPull,
) (f promotion.Freight, is bool, err error) {
	if IsOurs(m.Head) && m.HeadRepo == w.Repo {
		return f, false, nil
	}
	files, err := client.Pulls.Files(ctx, m.Number)
	if err != nil || !w.Accepts(files, m.Labels) {
		return f, false, err
	}
	f = NewFreight(w, m.Number, m.MergeSHA, m.MergedAt, m.Author, m.Title)
	f.Issues, f.Risk = m.Issues, new(promotion.RiskOf(files))
	return f, true, nil
}

// RecordFreight records freight of a warehouse, with those of its images that are known.
func RecordFreight(tx *store.Tx, t pipelines.Subscriber, f promotion.Freight) error {
	fresh, err := tx.Freight.Record(t.Pipeline, f)
	if err != nil || !fresh {
		return err
	}
	return tx.Freight.Complete(t.Pipeline, t.Warehouse, f)
}

// Published returns the freight of a release or tag in a warehouse that has been there since a time, and whether it is
// any.
func Published(w *promotion.Warehouse, t promotion.Tagged, since time.Time) (promotion.Freight, bool) {
	if t.At.Before(since.Truncate(time.Second)) { // GitHub's times have whole seconds
		return promotion.Freight{}, false
	}
	return w.Versioned(t)
}

// CompleteWith adds an image to the freight of its commit in a warehouse, and records the label requests of freight
// that is complete with it.
func (q *Requests) CompleteWith(
	ctx context.Context, t pipelines.Subscriber, image promotion.Image,
) (work.Record, error) {
	var built []promotion.Freight
	err := q.Store.View(ctx, func(tx *store.Tx) error {
		return work.RecordAll(image.Of(), func(commit promotion.SHA) error {
			some, err := tx.Freight.BuiltOf(t.Pipeline, t.Warehouse.Name, commit)
			built = append(built, some...)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	all := []work.Record{func(tx *store.Tx) error {
		return work.RecordAll(image.Of(), func(commit promotion.SHA) error {
			some, err := tx.Freight.BuiltOf(t.Pipeline, t.Warehouse.Name, commit)
			if err != nil {
				return err
			}
			return work.RecordAll(some,
				func(f promotion.Freight) error { return tx.Freight.Complete(t.Pipeline, t.Warehouse, f) })
		})
	}}
	for _, f := range built {
		requests, err := q.LabelRequestsOf(ctx, t.Warehouse, f.With(promotion.Artifact{Image: image.Image}))
		if err != nil {
			return nil, err
		}
		all = append(all, requests)
	}
	return work.InOrder(all), nil
}
