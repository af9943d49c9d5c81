package store

import (
	"fmt"
	"time"
)

// group are the rows of one account, repository and priority.
type group struct {
	account, repo string
	priority      int
	due           time.Time // when the first of them is
}

// search is a search for the first of some groups. Its first parameters are the account and the repository that were
// served last.
type search struct {
	on   string // behind a group, or else from the first on
	upTo string // behind a group, up to those that were served last
}

func newSearch(waits, behind string) search {
	from := func(around bool, condition string) string {
		return fmt.Sprint(`SELECT `, around, ` AS around, q.account, q.repo, q.priority, q.run_at`, waits, condition,
			` ORDER BY q.account, q.repo, q.priority, q.run_at LIMIT 1`)
	}
	upTo := ` AND (q.account, q.repo) <= ($1, $2)`
	return search{
		on: `SELECT * FROM (SELECT * FROM (` + from(false, behind) + `) AS behind
			UNION ALL SELECT * FROM (` + from(true, upTo) + `) AS first) AS found ORDER BY around LIMIT 1`,
		upTo: from(true, behind+upTo),
	}
}

// lastPriority is the greatest priority that a row has.
const lastPriority = 1

// nextGroup moves to the next group; around says that it ends at the one that was served last, and passed that all of
// the account are passed over.
func (tx *Tx) nextGroup(q *queue, g *group, served group, around *bool, passed bool) (found bool, err error) {
	by, args := q.next, []any{served.account, served.repo, g.account, g.repo, g.priority}
	if passed {
		by, args = q.account, args[:3]
	}
	query := by.on
	if *around {
		query = by.upTo
	}
	found, err = tx.one([]any{around, &g.account, &g.repo, &g.priority, at(&g.due)}, query, args...)
	return found, wrap("find a "+q.name, err)
}

// serve notes whose row was claimed: the next claim begins behind it.
func (tx *Tx) serve(q *queue, before, now group) error {
	if before.account == now.account && before.repo == now.repo {
		return nil
	}
	return tx.mustChange("note whose turn it was", `UPDATE queues SET account = $2, repo = $3 WHERE name = $1`, q.name,
		now.account, now.repo)
}
