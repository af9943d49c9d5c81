package store

import (
	"strings"

	"waybill/promotion"
)

// A token for the API is bound to repositories by their names. Names change hands, so Waybill notes, by GitHub's id,
// what a name meant when it first saw it in the token's line.

// Scope is a repository that a token is bound to.
type Scope struct {
	Holder string         // the name of the token
	Repo   promotion.Repo // in small letters
	ID     int64          // GitHub's, of the repository that had the name
}

// ScopeOf returns the scope of a token in a repository.
func ScopeOf(token string, repo promotion.Repo, id int64) Scope {
	return Scope{token, promotion.Repo(strings.ToLower(string(repo))), id}
}

// NoteScope returns the id of the repository that a name meant when it was first noted, which is now if it was not.
func (n Names) NoteScope(s Scope) (first int64, err error) {
	found, err := n.tx.one([]any{&first}, `SELECT id FROM scopes WHERE token = $1 AND repo = $2`, s.Holder, s.Repo)
	if err == nil && !found {
		_, err = n.tx.exec(`INSERT INTO scopes (token, repo, id) VALUES ($1, $2, $3)`, s.Holder, s.Repo, s.ID)
		first = s.ID
	}
	return first, wrap("note what a token is bound to", err)
}

// Scopes lists what tokens are bound to.
func (n Names) Scopes() ([]Scope, error) {
	all, err := list(n.tx, func(s *Scope) []any { return []any{&s.Holder, &s.Repo, &s.ID} },
		`SELECT token, repo, id FROM scopes ORDER BY token, repo`)
	return all, wrap("read what tokens are bound to", err)
}

// KeepScopes forgets what tokens are not bound to any more.
func (n Names) KeepScopes(bound func(Scope) bool) error {
	all, err := n.Scopes()
	for i := 0; err == nil && i < len(all); i++ {
		if !bound(all[i]) {
			_, err = n.tx.exec(`DELETE FROM scopes WHERE token = $1 AND repo = $2`, all[i].Holder, all[i].Repo)
		}
	}
	return wrap("forget what a token was bound to", err)
}
