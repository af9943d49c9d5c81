package learn

import (
	"errors"
	"time"

	"waybill/app/pipelines"
	"waybill/promotion"
	"waybill/store"
)

// RecordHeads makes freight of heads of a warehouse's branch, the oldest first. A head that is heard of late, because
// its webhook was lost, comes before those behind it that are freight already.
func RecordHeads(tx *store.Tx, t pipelines.Subscriber, heads []promotion.Head) error {
	behind := make([]promotion.Freight, len(heads)) // the first freight behind each head; none: zero
	for i := len(heads) - 1; i > 0; i-- {
		known, err := tx.Freight.ByID(t.Pipeline, t.Warehouse.Pushed(heads[i], time.Time{}, tx.Now).ID)
		switch {
		case err == nil:
			behind[i-1] = known
		case errors.Is(err, store.ErrNotFound):
			behind[i-1] = behind[i]
		default:
			return err
		}
	}
	for i, h := range heads {
		next := behind[i]
		if next.ID == "" {
			var err error
			if next, err = laterThan(tx, t, h); err != nil {
				return err
			}
		}
		latest, place := tx.Now, store.FreightPlace{}
		if next.ID != "" {
			latest, place = next.Merged, store.PlaceOf(next)
			if h.Count >= next.Number { // of a branch that was moved elsewhere by force
				latest = latest.Add(-time.Microsecond)
			}
		}
		before, err := tx.Freight.Before(t.Pipeline, t.Warehouse.Name, place, 1)
		if err != nil {
			return err
		}
		earliest := time.Time{}
		if len(before) > 0 {
			earliest = before[0].Merged
		}
		if err := RecordFreight(tx, t, t.Warehouse.Pushed(h, earliest, latest)); err != nil {
			return err
		}
	}
	return nil
}

// laterThan returns the first freight that a head must come before, as far as the two tell: all freight from there on
// has more commits behind it, and no earlier date. Without any it returns the zero value. Where a branch was
// moved elsewhere by force, fewer commits alone say nothing.
func laterThan(tx *store.Tx, t pipelines.Subscriber, h promotion.Head) (later promotion.Freight, err error) {
	place := store.FreightPlace{}
	for {
		newest, err := tx.Freight.Before(t.Pipeline, t.Warehouse.Name, place, 1)
		if err != nil || len(newest) == 0 || newest[0].Number <= h.Count || newest[0].Merged.Before(h.At) {
			return later, err
		}
		later, place = newest[0], store.PlaceOf(newest[0])
	}
}
