package intake

import (
	"context"

	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// imaged gives an image that was pushed to the freight that waits for it, and keeps it for freight that is still to
// come.
func (in *Intake) imaged(ctx context.Context, _ *handlers.From, image *promotion.Image) (work.Record, error) {
	waiting := in.Pipelines.AwaitingImage(image.Image)
	if len(waiting) == 0 {
		return nil, nil
	}
	all := []work.Record{func(tx *store.Tx) error { return tx.Facts.RecordImage(*image) }}
	for _, t := range waiting {
		rec, err := in.learn.Requests.CompleteWith(ctx, t, *image)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}
