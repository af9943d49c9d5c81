package store

import "waybill/promotion"

// A server that works for some owners only has their names. Names change hands, as those of repositories do: so whose
// a name was when it was first seen is noted, by GitHub's id.

// NoteOwner returns the id of the owner who had a name when it was first noted, which is now if it was not.
func (lg Ledger) NoteOwner(name promotion.Login, id int64) (first int64, err error) {
	found, err := lg.tx.one([]any{&first}, `SELECT id FROM owners WHERE name = $1`, name)
	if err == nil && !found {
		_, err = lg.tx.exec(`INSERT INTO owners (name, id) VALUES ($1, $2)`, name, id)
		first = id
	}
	return first, wrap("note who "+string(name)+" is", err)
}

// KeepOwners forgets the owners whose names are not among some: such a name means, when it is named again, whoever has
// it then.
func (lg Ledger) KeepOwners(names []promotion.Login) error {
	noted, err := list(lg.tx, func(n *promotion.Login) []any { return []any{n} }, `SELECT name FROM owners`)
	keep := map[promotion.Login]bool{}
	for _, name := range names {
		keep[name] = true
	}
	for i := 0; err == nil && i < len(noted); i++ {
		if !keep[noted[i]] {
			_, err = lg.tx.exec(`DELETE FROM owners WHERE name = $1`, noted[i])
		}
	}
	return wrap("forget who is served no more", err)
}
