package intake

import (
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/store"
)

// askResyncs has pipelines compared with GitHub.
func askResyncs(tx *store.Tx, all []pipelines.Compiled) error {
	return work.RecordAll(all, func(c pipelines.Compiled) error { return tx.Clocks.AskResync(c.Row.ID) })
}
