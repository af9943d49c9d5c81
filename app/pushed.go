package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// pushedTo makes freight of the head to which a branch was pushed, in every warehouse that wants what has changed.
func (a *App) pushedTo(ctx context.Context, f *handlers.Facts) (record, error) {
	var all []record
	for _, p := range f.Pushes {
		subscribers := a.pipelines.subscribersFrom(p.Repo, p.Branch)
		if len(subscribers) == 0 {
			continue
		}
		rec, err := a.headOf(ctx, f, p, subscribers)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}

// headOf asks for what a delivery leaves out of a push that some warehouses look at.
func (a *App) headOf(ctx context.Context, f *handlers.Facts, p promotion.Push, subscribers []subscriber) (record, error) {
	before := p.Before
	if strings.Trim(string(before), "0") == "" { // which is how Git writes: no commit
		before = ""
	}
	moved := func(tx *store.Tx) error {
		return recordAll(subscribers, func(t subscriber) error { return tx.Facts.MoveReached(t.pipeline, t.warehouse, before, p.After) })
	}
	files, err := a.filesOf(ctx, f, p)
	if err != nil {
		return nil, err
	}
	wanting := slices.DeleteFunc(slices.Clone(subscribers), func(t subscriber) bool { return !t.warehouse.Wants(files) })
	if len(wanting) == 0 {
		return moved, nil
	}
	client, err := a.hub.Installation(f.Installation, p.Repo)
	if err != nil {
		return nil, err
	}
	heads, err := client.Heads(ctx, []promotion.SHA{p.After})
	if err != nil {
		return nil, err
	}
	return inOrder([]record{func(tx *store.Tx) error {
		return recordAll(wanting, func(t subscriber) error { return recordHeads(tx, t, heads) })
	}, moved}), nil
}

// filesOf returns the paths that a push touches. Of a branch that is new, or whose past is gone, nobody knows.
func (a *App) filesOf(ctx context.Context, f *handlers.Facts, p promotion.Push) (promotion.Touched, error) {
	if !f.PathsUnknown {
		return promotion.Touched{Paths: p.Paths}, nil
	}
	paths, found, err := a.changedPaths(ctx, f.Installation, p)
	return promotion.Touched{Paths: paths, More: !found}, err
}

// recordHeads makes freight of heads of a warehouse's branch, the oldest first.
func recordHeads(tx *store.Tx, t subscriber, heads []promotion.Head) error {
	return recordAll(heads, func(h promotion.Head) error {
		newest, err := newestOf(tx, t.pipeline, t.warehouse)
		if err != nil {
			return err
		}
		return recordFreight(tx, t, t.warehouse.Pushed(h, newest.Merged, tx.Now))
	})
}

// rereadHeads finds what was pushed to the branches of warehouses since somebody looked last: each commit on the way
// that was ever a first parent counts as one push, because nobody can tell any more which of them came together.
func (a *App) rereadHeads(ctx context.Context, l *look) (record, error) {
	var all []record
	for _, w := range l.p.Warehouses {
		if w.Kind != promotion.FromPushes {
			continue
		}
		err := a.lookIn(ctx, l, w.Repo, func(client *gh.Client) error {
			rec, err := a.headsSince(ctx, client, l, w)
			all = append(all, rec)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return inOrder(all), nil
}

func (a *App) headsSince(ctx context.Context, client *gh.Client, l *look, w *promotion.Warehouse) (record, error) {
	var reached promotion.SHA
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		reached, err = tx.Facts.Reached(l.row.ID, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	head, err := client.BranchHead(ctx, w.Branch)
	if err != nil || head == "" || head == reached {
		return nil, err
	}
	commits, err := wantedBetween(ctx, client, w, reached, head)
	if err != nil {
		return nil, err
	}
	heads, err := client.Heads(ctx, commits)
	if err != nil {
		return nil, err
	}
	l.built = append(l.built, commits...)
	return func(tx *store.Tx) error {
		if err := recordHeads(tx, subscriber{l.row.ID, w}, heads); err != nil {
			return err
		}
		return tx.Facts.MoveReached(l.row.ID, w, reached, head)
	}, nil
}

// wantedBetween lists the commits on the way from one head of a branch to another that a warehouse wants, the oldest
// first. If there is no way it is the last one alone.
func wantedBetween(ctx context.Context, client *gh.Client, w *promotion.Warehouse, reached, head promotion.SHA) ([]promotion.SHA, error) {
	if reached == "" {
		return []promotion.SHA{head}, nil
	}
	pushes, err := client.Pushes(ctx, w.Branch, reached, head)
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

// beginnings asks where the branches are of whose pushes a pipeline is to make freight that it did not have until now:
// what is there already is none.
func (a *App) beginnings(ctx context.Context, row store.PipelineRow, p *promotion.Pipeline) (record, error) {
	var all []record
	for _, w := range p.Warehouses {
		if w.Kind != promotion.FromPushes {
			continue
		}
		err := a.store.View(ctx, func(tx *store.Tx) error {
			_, err := tx.Facts.WarehouseSince(row.ID, w)
			return err
		})
		if err == nil {
			continue
		}
		if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		client, err := a.client(w.Repo)
		if err != nil {
			return nil, err
		}
		head, err := client.BranchHead(ctx, w.Branch)
		if err != nil {
			return nil, err
		}
		all = append(all, func(tx *store.Tx) error { return tx.Facts.MoveReached(row.ID, w, "", head) })
	}
	return inOrder(all), nil
}
