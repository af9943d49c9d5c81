package store

import (
	"strings"
	"sync"
	"time"
)

// pastLooks remembers the looks for work that found none, so that a worker with nothing to do asks the database
// nothing. What a look found is true until its time comes or one of its tables is written. Only the store of the one
// process that writes to a database knows when that is.
type pastLooks struct {
	mu    sync.Mutex
	wrote [len(watchedTables)]int64 // how often each table was written
	none  map[string]none           // by the name of the look
}

// none is a look that found nothing to do.
type none struct {
	seen  int64     // how often the tables of the look had been written when it began
	until time.Time // when something is due, by the clock of due times; zero: never by itself
	stale time.Time // when to look in any case, by the clock that is never set
}

// lookAgain is how long a look is remembered at most: a clock may be set back, and a file that was damaged shows that
// only when it is read.
const lookAgain = time.Minute

// watchedTables are the tables in which looks find work, and those of which something is kept in memory.
var watchedTables = [...]string{
	"deliveries", "effects", "views", "clocks", "missed", "stages", "pipelines", "promotions", "attempts", "deployments",
	"freight",
}

// tables is a set of watched tables: a bit for each.
type tables uint16

// tablesOf returns the set of the tables of the given names that are watched.
func tablesOf(names ...string) (set tables) {
	for i, watched := range watchedTables {
		for _, name := range names {
			if name == watched {
				set |= 1 << i
			}
		}
	}
	return set
}

// writtenBy returns the table that a statement writes, if it is watched. A statement that writes begins with UPDATE,
// INSERT INTO or DELETE FROM.
func writtenBy(query string) tables {
	query = strings.TrimLeft(query, " \t\n")
	for _, verb := range []string{"UPDATE ", "INSERT INTO ", "DELETE FROM "} {
		if rest, is := strings.CutPrefix(query, verb); is {
			name := strings.TrimLeft(rest, " \t\n")
			if end := strings.IndexAny(name, " \t\n("); end >= 0 {
				name = name[:end]
			}
			return tablesOf(name)
		}
	}
	return 0
}

// written notes that a transaction has written tables. It is called when the transaction has ended: a look that began
// before may have missed it.
func (l *pastLooks) written(set tables) {
	if set == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.wrote {
		if set&(1<<i) != 0 {
			l.wrote[i]++
		}
	}
}

// begin returns how often the tables of a look have been written, for found; and the last look of the name if it found
// nothing and that is still so.
func (l *pastLooks) begin(name string, of tables, now, steady time.Time) (seen int64, last none, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, n := range l.wrote {
		if of&(1<<i) != 0 {
			seen += n
		}
	}
	last, known = l.none[name]
	known = known && last.seen == seen && steady.Before(last.stale) && (last.until.IsZero() || now.Before(last.until))
	return seen, last, known
}

// foundNone remembers a look that found nothing.
func (l *pastLooks) foundNone(name string, n none) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.none == nil {
		l.none = map[string]none{}
	}
	l.none[name] = n
}

// look looks for work, unless it is known that there is none: then it returns when some is due. The work is in the
// tables.
func (s *Store) look(name string, of tables, do func() (some bool, next time.Time, err error)) (
	some bool, next time.Time, err error) {
	if !s.db.Alone() {
		return do()
	}
	steady := s.steady()
	seen, last, known := s.looks.begin(name, of, s.clock(), steady)
	if known {
		return false, last.until, nil
	}
	some, next, err = do()
	if err == nil && !some {
		s.looks.foundNone(name, none{seen: seen, until: next, stale: steady.Add(lookAgain)})
	}
	return some, next, err
}
