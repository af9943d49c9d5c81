package intake

import (
	"context"

	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// imaged adds a pushed image to the freight that waits for it, and keeps it for later freight.
func (in *Intake) imaged(ctx context.Context, _ *handlers.From, image *promotion.Image) (work.Record, error) {
	waiting := in.Pipelines.AwaitingImage(image.Image)
	if len(waiting) == 0 {
		return nil, nil
	}
	all := []work.Record{func(tx *store.Tx) error { return tx.Freight.RecordImage(*image) }}
	for _, t := range waiting {
		rec, err := in.learn.Requests.CompleteWith(ctx, t, *image)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}
