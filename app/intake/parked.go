package intake

import (
	"waybill/app/work"
	"waybill/store"
)

// giveUp parks a delivery that has failed too often, or says when it is tried again. If it is parked, a resync is asked
// for, which finds what the delivery told: access that was lost for hours may come back without an event.
func (in *Intake) giveUp(tx *store.Tx, d *store.Delivery, why error) (parked bool, err error) {
	parked, err = tx.Inbox.DeliveryFailed(d, why.Error(), tx.Now.Add(work.DeliveryBackoff.After(d.Attempts, 0)))
	if err != nil || !parked || d.Repo == "" {
		return parked, err
	}
	return true, askResyncs(tx, in.Pipelines.Concerned(d.Repo))
}
