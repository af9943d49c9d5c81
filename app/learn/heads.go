package learn

import (
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// RecordHeads makes freight of heads of a warehouse's branch, the oldest first.
func RecordHeads(tx *store.Tx, t pipelines.Subscriber, heads []promotion.Head) error {
	return work.RecordAll(heads, func(h promotion.Head) error {
		newest, err := newestOf(tx, t.Pipeline, t.Warehouse)
		if err != nil {
			return err
		}
		return RecordFreight(tx, t, t.Warehouse.Pushed(h, newest.Merged, tx.Now))
	})
}

// newestOf returns the newest freight of a warehouse; its zero value if there is none.
func newestOf(tx *store.Tx, pipeline int64, w *promotion.Warehouse) (promotion.Freight, error) {
	newest, err := tx.Facts.FreightOf(pipeline, w.Name, 1)
	if err != nil || len(newest) == 0 {
		return promotion.Freight{}, err
	}
	return newest[0], nil
}
