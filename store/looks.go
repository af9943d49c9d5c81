package store

import (
	"strings"
	"sync"
	"time"

	"waybill/promotion"
)

// pastLooks remembers the looks for work that found none, so that a worker with nothing to do asks the database
// nothing. What a look found is true until its time comes or one of its tables is written. Only the store of the one
// process that writes to a database knows when that is.
type pastLooks struct {
	mu    sync.Mutex
	wrote [len(watchedTables)]int64 // how often each table was written
	none  map[string]none           // by the name of the look
	some  map[string]some           // the last look of the name, if it found something and no claim has followed
	busy  map[string]bool           // whether the last look of the name saw leases
}

// some is a look that found something to do.
type some struct {
	seen int64     // as of none
	next time.Time // when something else is due, by the clock of due times; zero: never by itself
}

// took is a row of a queue that was claimed.
type took struct {
	from        *queue
	now, steady time.Time
	lease       time.Duration
	last        some // the look before the claim, if it is known
	known       bool
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

// watchedTables are the tables in which looks find what is asked again and again.
var watchedTables = [...]string{
	"deliveries", "effects", "views", "clocks", "missed", "stages", "pipelines", "allowances",
}

// tables is a set of watched tables: a bit for each.
type tables uint8

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

// takeSome returns the last look at a queue, if it found something, and forgets it: the claim that follows is the only
// one that it is about. Others may look meanwhile, and see that claim.
func (l *pastLooks) takeSome(q *queue) (last some, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, known = l.some[q.name]
	delete(l.some, q.name)
	return last, known
}

// tookAll notes that a row was claimed. If it was the only one that was due, there is none for now.
func (l *pastLooks) tookAll(t took) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.known && t.last.seen == l.count(t.from.in) && (t.last.next.IsZero() || t.now.Before(t.last.next)) {
		until := promotion.Sooner(t.last.next, t.now.Add(t.lease))
		l.remember(t.from.name, none{t.last.seen, until, t.steady.Add(lookAgain)})
	}
}

// count is how often tables have been written.
func (l *pastLooks) count(of tables) (seen int64) {
	for i, n := range l.wrote {
		if of&(1<<i) != 0 {
			seen += n
		}
	}
	return seen
}

// begin returns how often the tables of a look have been written, for found; and the last look of the name if it found
// nothing and that is still so.
func (l *pastLooks) begin(name string, of tables, now, steady time.Time) (seen int64, last none, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen = l.count(of)
	last, known = l.none[name]
	known = known && last.seen == seen && steady.Before(last.stale) && (last.until.IsZero() || now.Before(last.until))
	return seen, last, known
}

// knowNone reports whether it is known that no row of a queue is due.
func (l *pastLooks) knowNone(q *queue, now, steady time.Time) bool {
	_, _, known := l.begin(q.name, q.in, now, steady)
	return known
}

// foundNone remembers a look that found nothing.
func (l *pastLooks) foundNone(name string, n none) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remember(name, n)
}

func (l *pastLooks) remember(name string, n none) {
	if l.none == nil {
		l.none, l.some = map[string]none{}, map[string]some{}
	}
	l.none[name] = n
	delete(l.some, name)
}

// foundSome remembers a look that found something.
func (l *pastLooks) foundSome(name string, s some) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.none == nil {
		l.none, l.some = map[string]none{}, map[string]some{}
	}
	l.some[name] = s
}

// noteLeases notes whether a look at a queue saw leases.
func (l *pastLooks) noteLeases(q *queue, some bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy == nil {
		l.busy = map[string]bool{}
	}
	l.busy[q.name] = some
}

// sawLeases reports whether the last look at a queue saw leases, or there was none.
func (l *pastLooks) sawLeases(q *queue) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	some, looked := l.busy[q.name]
	return some || !looked
}

// look looks for work, unless it is known that there is none: then it returns when some is due. The work is in the
// tables.
func (s *Store) look(name string, of tables, do func() (some bool, next time.Time, err error)) (
	found bool, next time.Time, err error) {
	if !s.db.Alone() {
		return do()
	}
	steady := s.steady()
	seen, last, known := s.looks.begin(name, of, s.clock(), steady)
	if known {
		return false, last.until, nil
	}
	found, next, err = do()
	switch {
	case err != nil:
	case found:
		s.looks.foundSome(name, some{seen, next})
	default:
		s.looks.foundNone(name, none{seen: seen, until: next, stale: steady.Add(lookAgain)})
	}
	return found, next, err
}
