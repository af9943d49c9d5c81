package store

import (
	"context"
	"fmt"
	"time"

	"waybill/promotion"
)

// A pipeline names the repositories that it reads and writes. Names change hands: it would take whatever a repository
// says that has a name which has become free. So which repository a name meant when it was first used is noted, by
// GitHub's id. What the name of the pipeline's home means there is noted with the consents.

// Allowance is that a repository allows the pipeline of another one, its home, which uses that.
type Allowance struct {
	Repo   promotion.Repo
	RepoID int64
	Home   promotion.Repo
	HomeID int64
}

// NoteAllowance returns the id of the repository that an allowance was first noted for, which is now if it was not.
// What was noted for another home of the same name ends.
func (n Names) NoteAllowance(a Allowance) (first int64, err error) {
	first, found, err := n.Allowance(a)
	if err == nil && !found {
		_, err = n.tx.exec(`INSERT INTO allowances (repo, repo_id, home, home_id) VALUES ($1, $2, $3, $4)
			ON CONFLICT (repo, home) DO UPDATE SET repo_id = $2, home_id = $4`, a.Repo, a.RepoID, a.Home, a.HomeID)
		first = a.RepoID
	}
	return first, wrap(fmt.Sprintf("note that %s allows %s", a.Repo, a.Home), err)
}

// Allowance returns the id of the repository that the name of one meant to a home when that first used the allowance.
func (n Names) Allowance(a Allowance) (first int64, found bool, err error) {
	found, err = n.tx.one([]any{&first}, `SELECT repo_id FROM allowances WHERE repo = $1 AND home = $2 AND home_id = $3`,
		a.Repo, a.Home, a.HomeID)
	return first, found, wrap(fmt.Sprintf("read whether %s allows %s", a.Repo, a.Home), err)
}

// TookName reports whether a repository has the name of another one that allowed a pipeline, whatever it says itself:
// nothing of it is taken for that one's. It is one statement, and none while it is known that there are no allowances.
func (s *Store) TookName(ctx context.Context, repo promotion.Repo, id int64) (took bool, err error) {
	_, _, err = s.look("allowance", tablesOf("allowances"), func() (some bool, next time.Time, err error) {
		err = s.ViewOne(ctx, func(tx *Tx) error {
			_, err := tx.one([]any{&some, &took}, `SELECT EXISTS (SELECT 1 FROM allowances),
				EXISTS (SELECT 1 FROM allowances WHERE repo = $1 AND repo_id <> $2)`, repo, id)
			return err
		})
		return some, next, err
	})
	return took, wrap("look for whose name "+string(repo)+" is", err)
}

// EndAllowance forgets an allowance that its repository has taken back: whoever gives it again means the repository
// that has the name then. Another repository of the same name takes nothing back.
func (n Names) EndAllowance(a Allowance) error {
	_, err := n.tx.exec(`DELETE FROM allowances WHERE repo = $1 AND home = $2 AND repo_id = $3`, a.Repo, a.Home, a.RepoID)
	return wrap(fmt.Sprintf("note that %s does not allow %s", a.Repo, a.Home), err)
}

// KeepAllowances forgets those of a pipeline that its files use no more. named says which repositories they name.
func (n Names) KeepAllowances(home promotion.Repo, homeID int64, named func(promotion.Repo) bool) error {
	all, err := list(n.tx, func(r *promotion.Repo) []any { return []any{r} },
		`SELECT repo FROM allowances WHERE home = $1 AND home_id = $2`, home, homeID)
	for i := 0; err == nil && i < len(all); i++ {
		if !named(all[i]) {
			_, err = n.tx.exec(`DELETE FROM allowances WHERE repo = $1 AND home = $2`, all[i], home)
		}
	}
	return wrap(fmt.Sprintf("forget what %s names no more", home), err)
}
