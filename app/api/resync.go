package api

import (
	"context"

	"waybill/promotion"
	"waybill/store"
)

// resync reconciles the pipeline now, and says how that went. It goes on to its end though nobody waits for the answer
// any more: one that is broken off keeps its lease, and the next one would have to wait for that.
func (s *Server) resync(c *call) (any, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context()))
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	failed := s.adapter.Resync(ctx, c.row.ID)
	line := store.Event{
		Pipeline: c.row.ID, Kind: store.EventCommand, Word: "resync", By: c.who.Person(), Source: "api",
		Outcome: string(promotion.Done), Text: c.who.String(),
	}
	if failed != nil {
		line.Outcome = "failed"
	}
	var row store.PipelineRow
	err := s.store.Update(context.WithoutCancel(c.Context()), func(tx *store.Tx) (err error) {
		if err := tx.Audit.Log(line); err != nil {
			return err
		}
		row, err = tx.Pipelines.ByID(c.row.ID)
		return err
	})
	if failed != nil {
		return nil, unavailable("%s could not be compared with GitHub: %s", c.row.Repo, failed)
	}
	return resyncOf(row), err
}
