package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// Candidate is a change that people want in the branch of a pipeline, with further columns of the store.
type Candidate struct {
	promotion.Candidate
	Seen    time.Time       // when GitHub last changed it, as far as is known
	Doubted bool            // other files are guarded since it was looked at
	Unread  bool            // which files it changes is not known: too much was read for whom it is read
	Fork    bool            // it comes from a fork
	By      promotion.Actor // for whom it is read, if it does
}

func (c *Candidate) dest() []any {
	return []any{
		&c.Ref, &c.Into.Repo, &c.Into.Name, &c.Pull, &c.Head, asJSON(&c.Files), at(&c.Seen), &c.Doubted, &c.Unread,
		&c.Fork, &c.By.ID, &c.By.Login,
	}
}

// Of returns the candidates of a pipeline, the one that was seen last first.
func (cd Candidates) Of(pipeline int64) ([]Candidate, error) {
	all, err := list(cd.tx, (*Candidate).dest, `SELECT ref, repo, branch, pull, head_sha, files, seen_at, doubted,
		unread, fork, by_id, by_login FROM candidates WHERE pipeline = $1
		ORDER BY seen_at DESC, ref`, pipeline)
	if err != nil {
		return nil, fmt.Errorf("list the candidates of pipeline %d: %w", pipeline, err)
	}
	return all, nil
}

// Record records the state of a candidate, unless a newer one is known.
func (cd Candidates) Record(pipeline int64, c Candidate) error {
	_, err := cd.tx.exec(`INSERT INTO candidates (pipeline, ref, pull, head_sha, files, seen_at, doubted, repo, branch,
			unread, fork, by_id, by_login)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (pipeline, ref) DO UPDATE SET pull = $3, head_sha = $4, files = $5, seen_at = $6, doubted = $7,
		repo = $8, branch = $9, unread = $10, fork = $11, by_id = $12, by_login = $13 WHERE candidates.seen_at <= $6`,
		pipeline, c.Ref, c.Pull, c.Head, asJSON(c.Files), micros(c.Seen), c.Doubted, c.Into.Repo, c.Into.Name, c.Unread,
		c.Fork, c.By.ID, c.By.Login)
	if err != nil {
		return fmt.Errorf("record candidate %s: %w", c.Ref, err)
	}
	return nil
}

// Forget forgets a candidate, unless something newer is known of it. It reports whether it was there.
func (cd Candidates) Forget(pipeline int64, ref string, seen time.Time) (bool, error) {
	n, err := cd.tx.exec(`DELETE FROM candidates WHERE pipeline = $1 AND ref = $2 AND seen_at <= $3`, pipeline, ref,
		micros(seen))
	if err != nil {
		return false, fmt.Errorf("forget candidate %s: %w", ref, err)
	}
	return n > 0, nil
}

// Doubt has all candidates of a pipeline looked at again by the next resync: other files are guarded now.
func (cd Candidates) Doubt(pipeline int64) error {
	if _, err := cd.tx.exec(`UPDATE candidates SET doubted = TRUE WHERE pipeline = $1`, pipeline); err != nil {
		return fmt.Errorf("doubt the candidates of pipeline %d: %w", pipeline, err)
	}
	return nil
}
