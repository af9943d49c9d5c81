package store

import (
	"fmt"
	"strings"
	"time"
)

// Pruning is how far a round of removal has come. The zero value begins a round; one that was lost is begun again.
type Pruning struct {
	row   int   // of the retention table; behind its end, the audit trail is shortened
	after []any // the key of the last row that was looked at; nil: none
	Gone  int64 // how many rows were removed so far
	Done  bool
}

// stepLasts is how long a step of Prune goes on to look at more rows, so that no writer waits long for it.
const stepLasts = 5 * time.Millisecond

// Prune looks at the next rows, at most so many, and removes those that are older than the horizon and that nothing
// open needs: every decision is the same before and after. A round looks at each row once. It returns how far it has
// come.
func (up Upkeep) Prune(h Horizon, s Pruning, rows int) (Pruning, error) {
	var err error
	switch {
	case s.Done:
	case s.row == len(table):
		s, err = up.shortenTrail(h.Audit, s, rows)
	default:
		s, err = up.removeSome(&table[s.row], h, s, rows)
	}
	if err != nil {
		return s, fmt.Errorf("remove old rows: %w", err)
	}
	return s, nil
}

// removeSome looks at one row first, and then at as many at a time as before together: where rows are costly, the step
// ends soon after its time is over.
func (up Upkeep) removeSome(k *Kept, h Horizon, s Pruning, rows int) (Pruning, error) {
	before := h.since(k.Term, up.tx.Now)
	if !k.removable() || before.IsZero() {
		return Pruning{row: s.row + 1, Gone: s.Gone}, nil
	}
	begun := up.tx.store.steady()
	for looked := 0; looked < rows && up.tx.store.steady().Sub(begun) <= stepLasts; {
		n := min(max(looked, 1), rows-looked)
		last, err := up.keyAfter(k, s.after, n)
		var gone int64
		if err == nil {
			query, args := k.removing(s.after, n, before)
			gone, err = up.tx.exec(query, args...)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", k.Table, err)
		}
		looked, s.Gone, s.after = looked+n, s.Gone+gone, last
		if last == nil {
			return Pruning{row: s.row + 1, Gone: s.Gone}, nil
		}
	}
	return s, nil
}

// keyAfter returns the key of the row so many rows behind one; nil if there are fewer.
func (up Upkeep) keyAfter(k *Kept, after []any, rows int) ([]any, error) {
	key, dest := make([]any, len(k.key)), make([]any, len(k.key))
	for i := range key {
		dest[i] = &key[i]
	}
	query := k.keysAfter(after, 1) + fmt.Sprintf(` LIMIT 1 OFFSET $%d + 0`, len(after)+1)
	found, err := up.tx.one(dest, query, append(after[:len(after):len(after)], rows-1)...)
	if !found {
		return nil, err
	}
	return key, err
}

// removing is the statement that removes those of the next rows behind one that may go. It lists their keys first:
// given the range of keys alone, a database may choose another index and read the whole table.
func (k *Kept) removing(after []any, rows int, before time.Time) (query string, args []any) {
	query = `DELETE FROM ` + k.Table + ` WHERE (` + k.columns() + `) IN (` + k.keysAfter(after, 2) +
		fmt.Sprintf(` LIMIT $%d + 0`, len(after)+2) + `) AND ` + k.gone
	return query, append(append([]any{micros(before)}, after...), rows)
}

func (k *Kept) columns() string { return strings.Join(k.key, ", ") }

// keysAfter is the statement that lists the keys behind one in their order; first is the number of its first parameter.
func (k *Kept) keysAfter(after []any, first int) string {
	var where []string
	if k.among != "" {
		where = append(where, k.among)
	}
	if after != nil {
		where = append(where, `(`+k.columns()+`) > `+values(first, len(k.key)))
	}
	query := `SELECT ` + k.columns() + ` FROM ` + k.Table
	if len(where) > 0 {
		query += ` WHERE ` + strings.Join(where, ` AND `)
	}
	return query + ` ORDER BY ` + k.columns()
}

// values is a row of parameters, of which it is told the first.
func values(first, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", $%d", first+i)
	}
	return "(" + b.String()[2:] + ")"
}
