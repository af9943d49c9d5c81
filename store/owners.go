package store

import (
	"slices"

	"waybill/promotion"
)

// A server that works for some owners knows them by their names. Names change hands, as those of repositories do. So
// Waybill notes, by GitHub's id, who had a name when it first saw it.

// NoteOwner returns the id of the owner who had a name when it was first noted, which is now if it was not.
func (n Names) NoteOwner(name promotion.Login, id int64) (first int64, err error) {
	found, err := n.tx.one([]any{&first}, `SELECT id FROM owners WHERE name = $1`, name)
	if err == nil && !found {
		_, err = n.tx.exec(`INSERT INTO owners (name, id) VALUES ($1, $2)`, name, id)
		first = id
	}
	return first, wrap("note who "+string(name)+" is", err)
}

// KeepOwners forgets the owners of all other names. If such a name is listed again, it means the account that has it
// then.
func (n Names) KeepOwners(names []promotion.Login) error {
	noted, err := list(n.tx, func(n *promotion.Login) []any { return []any{n} }, `SELECT name FROM owners`)
	for i := 0; err == nil && i < len(noted); i++ {
		if !slices.Contains(names, noted[i]) {
			_, err = n.tx.exec(`DELETE FROM owners WHERE name = $1`, noted[i])
		}
	}
	return wrap("forget who is served no more", err)
}
