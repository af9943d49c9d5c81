package store

import "waybill/promotion"

// Unsent is a pipeline with lines of the audit trail that the receiver of events does not have.
type Unsent struct {
	Pipeline int64
	Repo     promotion.Repo // its home repository
	After    int64          // the last line that the receiver has
}

// SendEvents says that there is a receiver of events. If there was none before, it gets what happens from now on.
func (au Audit) SendEvents() error {
	_, err := au.tx.exec(`INSERT INTO sent_events (pipeline, seq) SELECT pipeline, seq FROM chains
		WHERE NOT EXISTS (SELECT 1 FROM sent_events WHERE pipeline = 0)`)
	return wrap("begin to send events", err)
}

// SendNoEvents says that there is no receiver of events.
func (au Audit) SendNoEvents() error {
	_, err := au.tx.exec(`DELETE FROM sent_events`)
	return wrap("end to send events", err)
}

// NextUnsent returns the pipeline behind one of them, by their ids, of which there is something to send; nil if there
// is none.
func (au Audit) NextUnsent(after int64) (*Unsent, error) {
	var u Unsent
	found, err := au.tx.one([]any{&u.Pipeline, &u.Repo, &u.After}, `SELECT chains.pipeline, pipelines.repo,
			COALESCE(sent_events.seq, 0)
		FROM chains JOIN pipelines ON pipelines.id = chains.pipeline
			LEFT JOIN sent_events ON sent_events.pipeline = chains.pipeline
		WHERE chains.pipeline > $1 AND chains.seq > COALESCE(sent_events.seq, 0)
		ORDER BY chains.pipeline LIMIT 1`, after)
	if err != nil || !found {
		return nil, wrap("look for events to send", err)
	}
	return &u, nil
}

// NoteSent notes that the receiver has the lines of a pipeline up to one of them.
func (au Audit) NoteSent(pipeline, seq int64) error {
	_, err := au.tx.exec(`INSERT INTO sent_events (pipeline, seq) VALUES ($1, $2)
		ON CONFLICT (pipeline) DO UPDATE SET seq = excluded.seq WHERE sent_events.seq < excluded.seq`, pipeline, seq)
	return wrap("note a sent event", err)
}
