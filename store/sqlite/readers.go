package sqlite

import (
	"errors"
	"sync"
)

// maxReaders is how many transactions may read at a time.
const maxReaders = 4

// readers are the connections that read. The next transaction gets the one that was used last, which has its statements
// prepared and its pages in memory; another is opened only when that is busy.
type readers struct {
	free chan struct{} // one for each transaction that may begin

	mu   sync.Mutex
	idle []*conn
}

func newReaders() *readers {
	r := &readers{free: make(chan struct{}, maxReaders)}
	for range maxReaders {
		r.free <- struct{}{}
	}
	return r
}

// take returns an idle reader to a transaction that was admitted; nil if there is none, and one may be opened.
func (r *readers) take() *conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.idle) == 0 {
		return nil
	}
	last := len(r.idle) - 1
	c := r.idle[last]
	r.idle = r.idle[:last]
	return c
}

// put gives a reader back and lets in the next; nil is one that could not be opened.
func (r *readers) put(c *conn) {
	if c != nil {
		r.mu.Lock()
		r.idle = append(r.idle, c)
		r.mu.Unlock()
	}
	r.free <- struct{}{}
}

// close waits for transactions that read, and closes all connections.
func (r *readers) close() error {
	for range maxReaders {
		<-r.free
	}
	var errs []error
	for _, c := range r.idle {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}
