package api

import "waybill/store"

// Trail is a page of the audit trail.
type Trail struct {
	Lines []Event `json:"lines" doc:"newest first"`
	Next  string  `json:"next,omitempty" doc:"the cursor of the next page; without it this is the last"`
}

// trail lists the audit trail of a pipeline, newest first.
func (s *Server) trail(c *call) (any, error) {
	var before int64
	limit, err := c.page(&before)
	if err != nil {
		return nil, err
	}
	var lines []store.Event
	if err := s.view(c.Context(), func(tx *store.Tx) error {
		lines, err = tx.Audit.EventsBefore(c.row.ID, before, limit+1)
		return err
	}); err != nil {
		return nil, err
	}
	page := Trail{Lines: list(lines[:min(limit, len(lines))], eventOf)}
	if len(lines) > limit {
		page.Next = nextCursor(lines[limit-1].Seq)
	}
	return page, nil
}
