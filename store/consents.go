package store

import (
	"fmt"
	"slices"
	"strings"

	"waybill/promotion"
)

// A repository consents to a pipeline if its own file allows it. Waybill notes consents when it reads a repository for
// the repository's owner. So it can answer a pipeline that names the repository of another owner without asking GitHub.

// SetConsents notes which pipelines the file of a repository allows now, by the names of their homes. It writes only
// what is new, and reports whether anything was.
func (n Names) SetConsents(repo promotion.Repo, id int64, homes []promotion.Repo) (changed bool, err error) {
	homes = slices.Clone(homes)
	for i := range homes {
		homes[i] = lower(homes[i])
	}
	slices.Sort(homes)
	homes = slices.Compact(homes)
	before, err := list(n.tx, func(c *consent) []any { return []any{&c.repo, &c.home} },
		`SELECT repo, home FROM consents WHERE repo_id = $1 ORDER BY home`, id)
	same := slices.EqualFunc(before, homes, func(c consent, home promotion.Repo) bool {
		return c == consent{lower(repo), home}
	})
	if err != nil || same {
		return false, wrap("read what "+string(repo)+" allows", err)
	}
	_, err = n.tx.exec(`DELETE FROM consents WHERE repo_id = $1`, id)
	for i := 0; err == nil && i < len(homes); i++ {
		_, err = n.tx.exec(`INSERT INTO consents (repo_id, repo, home) VALUES ($1, $2, $3)`, id, lower(repo), homes[i])
	}
	return true, wrap("note what "+string(repo)+" allows", err)
}

type consent struct{ repo, home promotion.Repo }

// Consents reports whether the file of a repository allows the pipeline of another one, as far as Waybill has read it.
func (n Names) Consents(repo, home promotion.Repo) (consents bool, err error) {
	_, err = n.tx.one([]any{&consents}, `SELECT EXISTS (SELECT 1 FROM consents WHERE repo = $1 AND home = $2)`,
		lower(repo), lower(home))
	return consents, wrap(fmt.Sprintf("read whether %s allows %s", repo, home), err)
}

// ConsentingOwners lists the owners of repositories that allow the pipeline of another one, in small letters.
func (n Names) ConsentingOwners(home promotion.Repo) (owners []string, err error) {
	repos, err := list(n.tx, func(r *promotion.Repo) []any { return []any{r} },
		`SELECT repo FROM consents WHERE home = $1`, lower(home))
	for _, repo := range repos {
		owners = append(owners, repo.Owner())
	}
	return owners, wrap("read who allows "+string(home), err)
}

// lower returns a name in small letters: GitHub's names know no capitals.
func lower(r promotion.Repo) promotion.Repo { return promotion.Repo(strings.ToLower(string(r))) }
