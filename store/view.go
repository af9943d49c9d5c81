package store

import "context"

// View runs fn in a transaction that reads: it sees one state of the database, and keeps nobody from writing. A panic
// in fn is returned as an error.
func (s *Store) View(ctx context.Context, fn func(tx *Tx) error) error {
	if err := s.letIn(ctx); err != nil {
		return err
	}
	c := s.readers.take()
	defer func() { s.readers.put(c) }()
	if c == nil {
		var err error
		if c, err = newConn(ctx, s.reading); err != nil {
			return explain(err)
		}
	}
	return reading(c, s.newTx(c), fn)
}

// letIn waits until one more may read.
func (s *Store) letIn(ctx context.Context) error {
	if err := s.unusable(ctx); err != nil {
		return err
	}
	select {
	case <-s.readers.free:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return ErrClosed
	}
}
