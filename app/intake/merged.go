package intake

import (
	"context"
	"slices"

	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// freightOf records the freight of a merged pull request, in every warehouse that accepts it.
func (in *Intake) freightOf(ctx context.Context, from *handlers.From, m *handlers.MergedPull) (work.Record, error) {
	wanting := in.Pipelines.SubscribersToMerges(from.Repo, m.Base)
	if len(wanting) == 0 {
		return nil, nil
	}
	client, err := in.Hub.Installation(from.Installation, from.Repo)
	if err != nil {
		return nil, err
	}
	files, err := client.Pulls.Files(ctx, m.Number)
	if err != nil {
		return nil, err
	}
	wanting = slices.DeleteFunc(wanting,
		func(t pipelines.Subscriber) bool { return !t.Warehouse.Accepts(files, m.Labels) })
	if len(wanting) == 0 {
		return nil, nil
	}
	freight := func(t pipelines.Subscriber) promotion.Freight {
		f := learn.NewFreight(t.Warehouse, m.Number, m.MergeSHA, m.MergedAt, m.Author, m.Title)
		f.Issues, f.Risk = m.Issues, new(promotion.RiskOf(files))
		return f
	}
	all := []work.Record{func(tx *store.Tx) error {
		return work.RecordAll(wanting, func(t pipelines.Subscriber) error { return learn.RecordFreight(tx, t, freight(t)) })
	}}
	for _, t := range wanting {
		requests, err := in.learn.Requests.LabelRequestsOf(ctx, t.Warehouse, freight(t))
		if err != nil {
			return nil, err
		}
		all = append(all, requests)
	}
	return work.InOrder(all), nil
}
