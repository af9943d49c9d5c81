package api

import (
	"waybill/store"
)

// resync reconciles the pipeline now, and says how that went.
func (s *Server) resync(c *call) (any, error) {
	err := s.store.Update(c.Context(), func(tx *store.Tx) error {
		return tx.Log(store.Event{
			Pipeline: c.row.ID, Kind: store.EventCommand, Word: "resync", By: c.who.Person(), Source: "api", Text: c.who.String(),
		})
	})
	if err != nil {
		return nil, err
	}
	if err := s.backstage.Resync(c.Context(), c.row.ID); err != nil {
		return nil, unavailable("%s could not be reconciled, and nothing was changed: %s", c.row.Repo, err)
	}
	var row store.PipelineRow
	err = s.view(c.Context(), func(tx *store.Tx) (err error) {
		row, err = tx.Pipeline(c.row.ID)
		return err
	})
	return resyncOf(row), err
}
