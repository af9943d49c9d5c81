package learn

import (
	"context"

	"waybill/app/surface"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// LabelRequestsOf records the requests that people have made by labels on the pull request of a freight, once the
// freight has all of its images.
func (q *Requests) LabelRequestsOf(
	ctx context.Context, w *promotion.Warehouse, f promotion.Freight,
) (work.Record, error) {
	if len(w.Awaits(f)) > 0 {
		err := q.Store.View(ctx, func(tx *store.Tx) (err error) {
			f, err = tx.Freight.WithImages(w, f)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if f.Pull == 0 || len(w.Awaits(f)) > 0 {
		return nil, nil
	}
	return q.labelRequestsOn(ctx, f.Repo, f.Pull)
}

// labelRequestsOn records the requests that people have made by labels on a pull request before it became freight.
func (q *Requests) labelRequestsOn(ctx context.Context, repo promotion.Repo, number int) (work.Record, error) {
	var requests []store.LabelRequest
	err := q.Store.ViewOne(ctx, func(tx *store.Tx) (err error) {
		requests, err = tx.Requests.ByLabels(repo, number)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(requests) == 0 {
		return nil, nil
	}
	head, err := q.headOf(ctx, repo, number)
	if err != nil {
		return nil, err
	}
	var all []work.Record
	for _, w := range requests {
		c := surface.PromoteCommand(w.Label)
		if w.Head != head {
			c.Lapsed = w.Head
		}
		rec, err := q.Ask(ctx, surface.RequestByLabel(0, repo, number, w.By, q.Clock(), c))
		if err != nil {
			return nil, err
		}
		all = append(all, rec, func(tx *store.Tx) error { return tx.Requests.ForgetLabel(repo, number, w.Label) })
	}
	return work.InOrder(all), nil
}

// headOf returns the last commit of a pull request.
func (q *Requests) headOf(ctx context.Context, repo promotion.Repo, number int) (promotion.SHA, error) {
	client, err := q.Client(repo)
	if err != nil {
		return "", err
	}
	p, err := client.Pulls.Read(ctx, number)
	return p.HeadSHA, err
}
