package resync

import (
	"context"
	"slices"
	"time"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// rereadFreight finds freight that webhooks did not report: pull requests that were merged since the last resync,
// releases and tags. Pull requests merged before Waybill knew the pipeline, and versions published before it knew the
// warehouse, are no freight.
func (r *Resyncer) rereadFreight(ctx context.Context, l *survey) (work.Record, error) {
	var failed error
	for _, w := range l.p.Warehouses {
		look := r.publishedIn
		switch w.Kind {
		case promotion.FromPulls:
			look = r.mergedInto
		case promotion.FromPushes, promotion.FromReports:
			continue // rereadHeads reads the pushes, and GitHub knows no reports
		}
		err := r.inRepo(ctx, l, w.Repo, func(client *gh.Client) error {
			some, err := look(ctx, client, l, w)
			l.found = append(l.found, some...)
			return err
		})
		if failed = err; failed != nil {
			break
		}
	}
	all := []work.Record{func(tx *store.Tx) error {
		return work.RecordAll(l.found, func(f promotion.Freight) error { return learn.RecordFreight(tx, l.subscriber(f), f) })
	}}
	for _, f := range l.found {
		requests, err := r.learn.Requests.LabelRequestsOf(ctx, l.subscriber(f).Warehouse, f)
		if err != nil {
			return nil, err
		}
		all = append(all, requests)
	}
	return work.InOrder(all), failed
}

// subscriber returns the warehouse of a freight.
func (l *survey) subscriber(f promotion.Freight) pipelines.Subscriber {
	return pipelines.Subscriber{Pipeline: l.row.ID, Warehouse: l.p.Warehouse(f.Warehouse)}
}

// mergedInto lists the merged pull requests since the last resync that are freight of a warehouse and not recorded, the
// oldest first. If it fails, it returns those that it has found until then: there may be more of them than GitHub tells
// in the time of one resync.
func (r *Resyncer) mergedInto(
	ctx context.Context, client *gh.Client, l *survey, w *promotion.Warehouse,
) ([]promotion.Freight, error) {
	merged, err := client.Pulls.MergedInto(ctx, w.Branch, l.known.ResyncedAt.Add(-overlap))
	if err != nil {
		return nil, err
	}
	var found []promotion.Freight
	for _, m := range slices.Backward(merged) {
		if learn.IsOurs(m.Head) && m.HeadRepo == w.Repo || m.MergedAt.Before(l.known.Since.Truncate(time.Second)) ||
			l.known.Has(w, m.MergeSHA) {
			continue
		}
		files, err := client.Pulls.Files(ctx, m.Number)
		if err != nil {
			return found, err
		}
		if w.Accepts(files, m.Labels) {
			f := learn.NewFreight(w, m.Number, m.MergeSHA, m.MergedAt, m.Author, m.Title)
			f.Issues = m.Issues
			found = append(found, f)
		}
	}
	return found, nil
}

// publishedIn lists the freight of a warehouse of releases or tags, recorded or not. It includes versions that the
// warehouse takes only lately, such as a former pre-release.
func (r *Resyncer) publishedIn(
	ctx context.Context, client *gh.Client, l *survey, w *promotion.Warehouse,
) ([]promotion.Freight, error) {
	list := client.Releases.List
	if w.Kind == promotion.FromTags {
		list = client.Tags.List
	}
	seen, err := list(ctx, l.known.ResyncedAt.Add(-overlap))
	if err != nil {
		return nil, err
	}
	var since time.Time
	err = r.Store.View(ctx, func(tx *store.Tx) (err error) {
		since, err = tx.Warehouses.Since(l.row.ID, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	var found []promotion.Freight
	for _, t := range seen {
		if f, is := learn.Published(w, t, since); is {
			found = append(found, f)
		}
	}
	return found, nil
}

// rereadHeads finds the pushes to the branches of warehouses since the last known one. Each first parent on the way
// counts as one push, because it is not known any more which came together.
func (r *Resyncer) rereadHeads(ctx context.Context, l *survey) (work.Record, error) {
	var all []work.Record
	for _, w := range l.p.Warehouses {
		if w.Kind != promotion.FromPushes {
			continue
		}
		err := r.inRepo(ctx, l, w.Repo, func(client *gh.Client) error {
			rec, err := r.headsSince(ctx, client, l, w)
			all = append(all, rec)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return work.InOrder(all), nil
}

func (r *Resyncer) headsSince(
	ctx context.Context, client *gh.Client, l *survey, w *promotion.Warehouse,
) (work.Record, error) {
	var reached promotion.SHA
	err := r.Store.View(ctx, func(tx *store.Tx) (err error) {
		reached, err = tx.Warehouses.Reached(l.row.ID, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	head, err := client.Branches.Head(ctx, w.Branch)
	if err != nil || head == "" || head == reached {
		return nil, err
	}
	commits, err := wantedBetween(ctx, client, w, reached, head)
	if err != nil {
		return nil, err
	}
	heads, err := client.Commits.Heads(ctx, commits)
	if err != nil {
		return nil, err
	}
	l.built = append(l.built, commits...)
	return func(tx *store.Tx) error {
		if err := learn.RecordHeads(tx, pipelines.Subscriber{Pipeline: l.row.ID, Warehouse: w}, heads); err != nil {
			return err
		}
		return tx.Warehouses.MoveReached(l.row.ID, w, reached, head)
	}, nil
}

// wantedBetween lists the commits between two heads of a branch that a warehouse wants, the oldest first. If the second
// does not descend from the first, it returns the second alone.
func wantedBetween(
	ctx context.Context, client *gh.Client, w *promotion.Warehouse, reached, head promotion.SHA,
) ([]promotion.SHA, error) {
	if reached == "" {
		return []promotion.SHA{head}, nil
	}
	pushes, err := client.Branches.Pushes(ctx, w.Branch, reached, head)
	if err != nil {
		return nil, err
	}
	if len(pushes) == 0 {
		return []promotion.SHA{head}, nil
	}
	var wanted []promotion.SHA
	for _, p := range pushes {
		if w.Wants(promotion.Touched{Paths: p.Paths}) {
			wanted = append(wanted, p.After)
		}
	}
	return wanted, nil
}
