package intake

import (
	"sync"

	"waybill/handlers"
	"waybill/promotion"
)

// rows are the rows of deliveries that this process handles. A delivery that comes behind one of them wakes no worker:
// it cannot be claimed before the row has come to it or has ended, and a worker looks again after each row.
type rows struct {
	mu       sync.Mutex
	underWay map[place]bool
}

// place is where a row is: of the deliveries of GitHub for one installation and repository, one is handled at a time.
type place struct {
	installation int64
	repo         promotion.Repo
}

func newRows() *rows { return &rows{underWay: map[place]bool{}} }

// begin notes that a row begins, and returns how to note that it has ended. Deliveries that are not of a repository on
// GitHub form none.
func (r *rows) begin(source string, installation int64, repo promotion.Repo) (end func()) {
	if source != handlers.SourceGitHub || repo == "" {
		return func() {}
	}
	at := place{installation, repo}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.underWay[at] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.underWay, at)
	}
}

// joins reports whether a delivery that has been stored is behind a row that has not ended.
func (r *rows) joins(source string, installation int64, repo promotion.Repo) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return source == handlers.SourceGitHub && r.underWay[place{installation, repo}]
}
