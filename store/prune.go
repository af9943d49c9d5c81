package store

import (
	"fmt"
	"time"
)

// Prune forgets what is older than a time and will not be needed again: deliveries that have been handled, and what
// commits told that no stage hosts. At most limit rows of each kind go at a time, so that nobody waits long; it returns
// how many went. History, audit trail and whatever is waiting or parked stay.
func (tx *Tx) Prune(before time.Time, limit int) (n int64, err error) {
	for _, query := range []string{
		`DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE state = 'handled' AND handled_at < $1 LIMIT $2 + 0)`,
		`DELETE FROM signals WHERE (repo, kind, id) IN (SELECT s.repo, s.kind, s.id FROM signals s WHERE s.observed_at < $1
			AND NOT EXISTS (SELECT 1 FROM stays y WHERE y.commit_sha = s.sha AND y.left_at IS NULL) LIMIT $2 + 0)`,
		`DELETE FROM suites WHERE (repo, id) IN (SELECT s.repo, s.id FROM suites s WHERE s.recorded_at < $1
			AND NOT EXISTS (SELECT 1 FROM stays y WHERE y.commit_sha = s.sha AND y.left_at IS NULL) LIMIT $2 + 0)`,
		`DELETE FROM glances WHERE (repo, sha) IN (SELECT repo, sha FROM glances WHERE glanced_at < $1 LIMIT $2 + 0)`,
		`DELETE FROM pushes WHERE (repo, branch, before_sha, after_sha) IN (SELECT u.repo, u.branch, u.before_sha, u.after_sha
			FROM pushes u WHERE u.pushed_at < $1 AND NOT EXISTS (SELECT 1 FROM pipelines p JOIN stays y ON y.pipeline = p.id
				WHERE p.repo = u.repo AND p.branch = u.branch AND y.left_at IS NULL AND y.entered_at < u.pushed_at) LIMIT $2 + 0)`,
	} {
		gone, err := tx.exec(query, micros(before), limit)
		if err != nil {
			return n, fmt.Errorf("prune what is older than %s: %w", before.Format(time.DateOnly), err)
		}
		n += gone
	}
	return n, nil
}
