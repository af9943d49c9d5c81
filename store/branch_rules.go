package store

import (
	"context"
	"fmt"

	"waybill/promotion"
)

// Rules returns the rules of a branch as they were read last; they have no time if they never were.
func (br Branches) Rules(on promotion.Branch) (r promotion.BranchRules, err error) {
	_, err = br.tx.one([]any{asJSON(&r), at(&r.Read)},
		`SELECT rules, read_at FROM branch_rules WHERE repo = $1 AND branch = $2`, on.Repo, on.Name)
	r.On = on
	return r, wrap(fmt.Sprintf("read the rules of %s", on), err)
}

// SaveRules keeps the rules of a branch.
func (br Branches) SaveRules(r promotion.BranchRules) error {
	_, err := br.tx.exec(`INSERT INTO branch_rules (repo, branch, rules, read_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (repo, branch) DO UPDATE SET rules = $3, read_at = $4`,
		r.On.Repo, r.On.Name, asJSON(r), micros(r.Read))
	return wrap(fmt.Sprintf("keep the rules of %s", r.On), err)
}

// BranchRules returns the rules of a branch as they were read last. It is one statement.
func (s *Store) BranchRules(ctx context.Context, on promotion.Branch) (r promotion.BranchRules, err error) {
	err = s.ViewOne(ctx, func(tx *Tx) error {
		r, err = tx.Branches.Rules(on)
		return err
	})
	return r, err
}
