package intake

import (
	"context"

	"waybill/app/work"
	"waybill/handlers"
	"waybill/store"
)

// imaged gives an image that was pushed to the freight that waits for it, and keeps it for freight that is still to
// come.
func (in *Intake) imaged(ctx context.Context, f *handlers.Facts) (work.Record, error) {
	if f.Image == nil {
		return nil, nil
	}
	waiting := in.Pipelines.Awaiting(f.Image.Image)
	if len(waiting) == 0 {
		return nil, nil
	}
	all := []work.Record{func(tx *store.Tx) error { return tx.Facts.RecordImage(*f.Image) }}
	for _, t := range waiting {
		rec, err := in.learn.Requests.Completed(ctx, t, *f.Image)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}
