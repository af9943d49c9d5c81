package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"waybill/promotion"
)

// A repository consents to a pipeline if its own file allows it. Waybill notes consents when it reads a repository for
// the repository's owner. So it can answer a pipeline that names the repository of another owner without asking GitHub.
//
// A file names the home of a pipeline. Names change hands, and one may be allowed before anybody has made a repository
// of it. So which repository a name means is noted with the consent, by GitHub's id, for as long as the file has it.

// Consents are the homes that the file of a repository allows, by their names in small letters, with their ids; 0 means
// no repository.
type Consents map[promotion.Repo]int64

// Means returns the id of the repository that a name means; noted is false if the file has not had the name.
func (c Consents) Means(home promotion.Repo) (id int64, noted bool) {
	id, noted = c[lower(home)]
	return id, noted
}

// Mean notes which repository a name means.
func (c Consents) Mean(home promotion.Repo, id int64) { c[lower(home)] = id }

// End forgets a name that the file does not have any more.
func (c Consents) End(home promotion.Repo) { delete(c, lower(home)) }

// ConsentsOf returns what the file of a repository allows, as far as Waybill has read it.
func (n Names) ConsentsOf(repoID int64) (Consents, error) {
	_, all, err := n.consents(repoID)
	return all, err
}

// consents returns what the file of a repository allows, and the name that the repository had then.
func (n Names) consents(repoID int64) (repo promotion.Repo, all Consents, err error) {
	type row struct {
		repo, home promotion.Repo
		id         int64
	}
	rows, err := list(n.tx, func(r *row) []any { return []any{&r.repo, &r.home, &r.id} },
		`SELECT repo, home, home_id FROM consents WHERE repo_id = $1`, repoID)
	all = Consents{}
	for _, r := range rows {
		repo = r.repo
		all[r.home] = r.id
	}
	return repo, all, wrap(fmt.Sprintf("read what repository %d allows", repoID), err)
}

// SetConsents notes what the file of a repository allows now. It writes only what is new, and reports whether anything
// was.
func (n Names) SetConsents(repo promotion.Repo, id int64, now Consents) (changed bool, err error) {
	named, before, err := n.consents(id)
	if err != nil || maps.Equal(before, now) && (len(now) == 0 || named == lower(repo)) {
		return false, err
	}
	_, err = n.tx.exec(`DELETE FROM consents WHERE repo_id = $1`, id)
	for _, home := range slices.Sorted(maps.Keys(now)) {
		if err == nil {
			_, err = n.tx.exec(`INSERT INTO consents (repo_id, repo, home, home_id) VALUES ($1, $2, $3, $4)`,
				id, lower(repo), home, now[home])
		}
	}
	return true, wrap("note what "+string(repo)+" allows", err)
}

// Consents reports whether the file of a repository allows the pipeline of another one, as far as Waybill has read it.
func (n Names) Consents(repo, home promotion.Repo, homeID int64) (consents bool, err error) {
	_, err = n.tx.one([]any{&consents}, `SELECT EXISTS (SELECT 1 FROM consents WHERE repo = $1 AND home = $2
		AND home_id = $3)`, lower(repo), lower(home), homeID)
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
