package resync

import (
	"context"
	"errors"
	"slices"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// place is where a view is shown, and its labels.
type place struct {
	Repo   promotion.Repo
	Number int
	Labels []string
}

// rereadShown checks whether the views of active promotions are still on GitHub.
func (r *Resyncer) rereadShown(ctx context.Context, l *survey) (work.Record, error) {
	var lasting []store.View
	err := r.Store.View(ctx, func(tx *store.Tx) (err error) {
		lasting, err = views.OfActivePromotions(tx, l.row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	in := map[promotion.Repo][]store.View{}
	for i := range lasting {
		var at place
		if err := surface.ReadLook(&lasting[i], &at); err != nil {
			return nil, err
		}
		in[at.Repo] = append(in[at.Repo], lasting[i])
	}
	var all []work.Record
	for repo, views := range in {
		err := r.inRepo(ctx, l, repo, func(client *gh.Client) error {
			rec, err := rereadShownIn(ctx, client, views)
			all = append(all, rec)
			return err
		})
		if err != nil {
			return work.InOrder(all), err
		}
	}
	return work.InOrder(all), nil
}

// rereadShownIn checks the views of one repository, in one request.
func rereadShownIn(ctx context.Context, client *gh.Client, all []store.View) (work.Record, error) {
	var nodes []string
	var pulls []int
	for i := range all {
		var at place
		switch err := surface.ReadLook(&all[i], &at); {
		case err != nil:
			return nil, err
		case all[i].Kind == surface.KindLabels:
			pulls = append(pulls, at.Number)
		case all[i].Node != "":
			nodes = append(nodes, all[i].Node)
		}
	}
	there, labels, err := client.Surfaces.Present(ctx, nodes, pulls)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		return work.RecordAll(all, func(v store.View) error {
			if v.Kind == surface.KindLabels {
				var at place
				err := surface.ReadLook(&v, &at)
				return errors.Join(err,
					views.RestoreLabels(tx, v, func(name string) bool { return !slices.Contains(labels[at.Number], name) }))
			}
			if v.Node == "" || there[v.Node] {
				return nil
			}
			return views.Restore(tx, v, "")
		})
	}, nil
}
