package store

import (
	"fmt"

	"waybill/promotion"
)

// Digests returns the last digests of the signals of some commits, by commit. A commit without one is left out.
func (sg Signals) Digests(repo promotion.Repo, commits []promotion.SHA) (map[promotion.SHA]string, error) {
	type row struct {
		sha    promotion.SHA
		digest string
	}
	all, err := listIn(sg.tx, func(g *row) []any { return []any{&g.sha, &g.digest} }, commits,
		`SELECT sha, digest FROM digests WHERE repo = $1 AND sha`, repo)
	if err != nil {
		return nil, fmt.Errorf("read the digests in %s: %w", repo, err)
	}
	known := make(map[promotion.SHA]string, len(all))
	for _, g := range all {
		known[g.sha] = g.digest
	}
	return known, nil
}

// SaveDigest keeps the digest of a commit. It belongs into the transaction that records the signals that were read
// then.
func (sg Signals) SaveDigest(repo promotion.Repo, commit promotion.SHA, digest string) error {
	_, err := sg.tx.exec(`INSERT INTO digests (repo, sha, digest, read_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (repo, sha) DO UPDATE SET digest = $3, read_at = $4`, repo, commit, digest, micros(sg.tx.Now))
	if err != nil {
		return fmt.Errorf("keep the digest of %s: %w", commit, err)
	}
	return nil
}
