package store

import "context"

// maxReaders is how many transactions may read at a time.
const maxReaders = 4

// View runs fn in a transaction that reads: it sees one state of the database, and keeps nobody from writing. A panic
// in fn is returned as an error.
func (s *Store) View(ctx context.Context, fn func(tx *Tx) error) error {
	c, err := s.reader(ctx)
	if err != nil {
		return err
	}
	defer func() { s.readers <- c }()
	if c == nil {
		if c, err = newConn(ctx, s.reading); err != nil {
			return explain(err)
		}
	}
	return reading(c, s.newTx(c), fn)
}

// reader waits for an idle reader. It is nil where a connection has not been opened yet.
func (s *Store) reader(ctx context.Context) (*conn, error) {
	if err := s.unusable(ctx); err != nil {
		return nil, err
	}
	select {
	case c := <-s.readers:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.closed:
		return nil, ErrClosed
	}
}
