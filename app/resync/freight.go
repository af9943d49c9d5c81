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
	var all []work.Record
	for _, w := range l.p.Warehouses {
		look := r.publishedIn
		switch w.Kind {
		case promotion.FromPulls:
			look = r.mergedInto
		case promotion.FromPushes, promotion.FromReports:
			continue // rereadHeads reads the pushes, and GitHub knows no reports
		}
		err := r.inRepo(ctx, l, w.Repo, func(client *gh.Client) error {
			rec, err := look(ctx, client, l, w)
			all = append(all, rec)
			return err
		})
		if err != nil {
			return work.InOrder(all), err
		}
	}
	return work.InOrder(all), nil
}

// record returns how to record a freight that was found in a warehouse.
func (l *survey) record(w *promotion.Warehouse, f promotion.Freight) work.Record {
	l.found = append(l.found, f)
	return func(tx *store.Tx) error {
		return learn.RecordFreight(tx, pipelines.Subscriber{Pipeline: l.row.ID, Warehouse: w}, f)
	}
}

// mergedInto looks at the pull requests that were merged since the last resync and are not recorded, the oldest first,
// and returns how to record those that are freight of a warehouse. There may be more of them than GitHub tells in the
// time of one resync: if it fails, the next one goes on behind those that it has looked at.
func (r *Resyncer) mergedInto(
	ctx context.Context, client *gh.Client, l *survey, w *promotion.Warehouse,
) (work.Record, error) {
	var seen time.Time
	err := r.Store.View(ctx, func(tx *store.Tx) (err error) {
		seen, err = tx.Warehouses.SeenTo(l.row.ID, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	merged, err := client.Pulls.MergedInto(ctx, w.Branch, promotion.Later(l.known.ResyncedAt, seen).Add(-overlap))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(merged, func(a, b gh.MergedPull) int { return a.MergedAt.Compare(b.MergedAt) })
	var all []work.Record
	for _, m := range merged {
		var rec work.Record
		if rec, err = r.readMerged(ctx, client, l, w, m); err != nil {
			break
		}
		all, seen = append(all, rec), m.MergedAt
	}
	return work.InOrder(append(all,
		func(tx *store.Tx) error { return tx.Warehouses.MoveSeenTo(l.row.ID, w, seen) })), err
}

// readMerged returns how to record a merged pull request, and what people have asked for by labels on it, if it is
// freight of a warehouse and not recorded.
func (r *Resyncer) readMerged(
	ctx context.Context, client *gh.Client, l *survey, w *promotion.Warehouse, m gh.MergedPull,
) (work.Record, error) {
	if m.MergedAt.Before(l.known.Since.Truncate(time.Second)) || l.known.Has(w, m.MergeSHA) {
		return nil, nil
	}
	f, is, err := learn.Merged(ctx, client, w, m)
	if err != nil || !is {
		return nil, err
	}
	requests, err := r.learn.Requests.LabelRequestsOf(ctx, w, f)
	if err != nil {
		return nil, err
	}
	return work.InOrder([]work.Record{l.record(w, f), requests}), nil
}

// publishedIn returns how to record the freight of a warehouse of releases or tags, recorded or not. It includes
// versions that the warehouse takes only lately, such as a former pre-release.
func (r *Resyncer) publishedIn(
	ctx context.Context, client *gh.Client, l *survey, w *promotion.Warehouse,
) (work.Record, error) {
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
	var all []work.Record
	for _, t := range seen {
		if f, is := learn.Published(w, t, since); is {
			all = append(all, l.record(w, f))
		}
	}
	return work.InOrder(all), nil
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
			return work.InOrder(all), err
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
		if w.Wants(promotion.Touched{Paths: p.Paths, More: slices.Equal(p.Paths, promotion.EveryPath)}) {
			wanted = append(wanted, p.After)
		}
	}
	return wanted, nil
}
