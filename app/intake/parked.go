package intake

import (
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/store"
)

// giveUp parks a delivery that has failed too often, or says when it is tried again. A resync looks for what it told
// of: access that was lost for hours may come back without a word.
func (in *Intake) giveUp(tx *store.Tx, d *store.Delivery, why error) (parked bool, err error) {
	parked, err = tx.Inbox.DeliveryFailed(d, why.Error(), tx.Now.Add(work.DeliveryBackoff.After(d.Attempts, 0)))
	if err != nil || !parked || d.Repo == "" {
		return parked, err
	}
	return true, work.RecordAll(in.Pipelines.Concerned(d.Repo), func(c pipelines.Compiled) error {
		return tx.Clocks.AskResync(c.Row.ID)
	})
}
