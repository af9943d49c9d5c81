package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// sync notes since when a pipeline has had its warehouses, by GitHub's clock. One that takes something else, or from
// elsewhere, is another one; one that is gone and comes back is the same.
func (wh Warehouses) sync(pipeline int64, p *promotion.Pipeline, since time.Time) error {
	if p == nil {
		return nil
	}
	for _, w := range p.Warehouses {
		_, err := wh.tx.exec(`INSERT INTO warehouses (pipeline, name, kind, repo, since_at, reached)
			VALUES ($1, $2, $3, $4, $5, '') ON CONFLICT DO NOTHING`,
			pipeline, w.Name, w.Kind, w.Repo, micros(since))
		if err != nil {
			return fmt.Errorf("note warehouse %s: %w", w.Name, err)
		}
	}
	return nil
}

// Since returns since when a pipeline has had a warehouse.
func (wh Warehouses) Since(pipeline int64, w *promotion.Warehouse) (since time.Time, err error) {
	found, err := wh.tx.one([]any{at(&since)},
		`SELECT since_at FROM warehouses WHERE pipeline = $1 AND name = $2 AND kind = $3 AND repo = $4`,
		pipeline, w.Name, w.Kind, w.Repo)
	return since, orNotFound(found, err, fmt.Sprintf("ask since when there is a warehouse %s", w.Name))
}

// Reached returns the head of a warehouse's branch up to which its pushes are known; empty if none is.
func (wh Warehouses) Reached(pipeline int64, w *promotion.Warehouse) (sha promotion.SHA, err error) {
	_, err = wh.tx.one([]any{&sha},
		`SELECT reached FROM warehouses WHERE pipeline = $1 AND name = $2 AND kind = $3 AND repo = $4`,
		pipeline, w.Name, w.Kind, w.Repo)
	return sha, wrap(fmt.Sprintf("ask how far warehouse %s is known", w.Name), err)
}

// MoveReached notes that the pushes of a warehouse are known up to one head, if they were up to another.
func (wh Warehouses) MoveReached(pipeline int64, w *promotion.Warehouse, from, to promotion.SHA) error {
	_, err := wh.tx.exec(`UPDATE warehouses SET reached = $6 WHERE pipeline = $1 AND name = $2 AND kind = $3 AND repo = $4
		AND reached = $5`,
		pipeline, w.Name, w.Kind, w.Repo, from, to)
	return wrap(fmt.Sprintf("note how far warehouse %s is known", w.Name), err)
}

// SeenTo returns up to when resyncs have looked at the merged pull requests of a warehouse; zero if at none. Most of
// them may be no freight, so that nothing else tells.
func (wh Warehouses) SeenTo(pipeline int64, w *promotion.Warehouse) (to time.Time, err error) {
	_, err = wh.tx.one([]any{at(&to)},
		`SELECT seen_to FROM warehouses WHERE pipeline = $1 AND name = $2 AND kind = $3 AND repo = $4`,
		pipeline, w.Name, w.Kind, w.Repo)
	return to, wrap(fmt.Sprintf("ask up to when the merges of warehouse %s have been seen", w.Name), err)
}

// MoveSeenTo notes that a resync has looked at the pull requests of a warehouse that were merged up to a time.
func (wh Warehouses) MoveSeenTo(pipeline int64, w *promotion.Warehouse, to time.Time) error {
	_, err := wh.tx.exec(`UPDATE warehouses SET seen_to = $5 WHERE pipeline = $1 AND name = $2 AND kind = $3 AND repo = $4
		AND COALESCE(seen_to, 0) < $5`,
		pipeline, w.Name, w.Kind, w.Repo, micros(to))
	return wrap(fmt.Sprintf("note up to when the merges of warehouse %s have been seen", w.Name), err)
}
