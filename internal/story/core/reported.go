package core

import (
	"fmt"

	"waybill/internal/story"
	"waybill/promotion"
)

// report has CI report a version of the head of the branch. That is no webhook: it cannot be lost, and a resync does not find it.
func (w *World) report(h story.Happening) error {
	warehouse := w.Pipeline().Warehouse(promotion.WarehouseName(h.Name))
	if warehouse == nil || warehouse.Kind != promotion.FromReports {
		return fmt.Errorf("there is no warehouse %s that takes reports", h.Name)
	}
	var newest promotion.Freight
	for _, f := range w.memory.freight {
		if f.Warehouse == warehouse.Name && newest.Before(f) {
			newest = f
		}
	}
	made := promotion.Build{Version: h.Text, Commit: w.github.head(warehouse.Repo, story.Branch)}
	w.memory.keep(warehouse.Reported(made, promotion.Head{}, newest, w.now))
	return nil
}
