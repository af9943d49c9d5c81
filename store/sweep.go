package store

import (
	"fmt"
	"time"
)

// Sweep is where the search for missed deliveries stands.
type Sweep struct {
	Due      time.Time // zero: nobody has asked for one yet
	Swept    time.Time // when the last complete one began; zero: never
	ReadTo   time.Time // up to when GitHub's list of deliveries has been read, by GitHub's clock; zero: never
	Failures int       // since the last complete one
	Error    string
}

// Sweep returns where the search for missed deliveries stands.
func (in Inbox) Sweep() (Sweep, error) {
	var s Sweep
	found, err := in.tx.one([]any{at(&s.Due), at(&s.Swept), at(&s.ReadTo), &s.Failures, &s.Error},
		`SELECT due, swept_at, read_to, failures, error FROM sweep WHERE one = 1`)
	return s, orNotFound(found, err, "read the state of the sweep")
}

// AskSweep makes the next sweep due now.
func (in Inbox) AskSweep() error {
	return in.tx.mustChange("ask for a sweep", `UPDATE sweep SET due = $1 WHERE one = 1`, micros(in.tx.Now))
}

// Swept notes that a sweep is complete, how far it has read GitHub's list, and when the next is due.
func (in Inbox) Swept(began, readTo, next time.Time) error {
	return in.tx.mustChange("note a sweep", `UPDATE sweep SET swept_at = $1, read_to = $2, due = $3, failures = 0, error = '' WHERE one = 1`,
		micros(began), micros(readTo), micros(next))
}

// SweepFailed notes why a sweep was not complete, and when to try again.
func (in Inbox) SweepFailed(why string, retry time.Time) error {
	return in.tx.mustChange("note a failed sweep", `UPDATE sweep SET due = $1, error = $2, failures = failures + 1 WHERE one = 1`,
		micros(retry), why)
}

// Missed is a webhook that GitHub has tried to deliver, and nobody took.
type Missed struct {
	GUID         string
	Attempt      int64 // GitHub's id of the attempt that it is asked to repeat
	Event        string
	Repository   int64 // GitHub's id; 0: of no repository
	Installation int64
	First        time.Time // when GitHub first tried, by GitHub's clock
	RunAt        time.Time // GitHub is not asked before
	Tries        int       // how often GitHub has been asked for another attempt
	Error        string    // of the last time, if that was refused
}

const missedColumns = `guid, attempt, event, repository, installation, first_at, run_at, tries, error`

func (m *Missed) dest() []any {
	return []any{&m.GUID, &m.Attempt, &m.Event, &m.Repository, &m.Installation, at(&m.First), at(&m.RunAt), &m.Tries, &m.Error}
}

// RecordMissed notes that a delivery was missed; fresh is false if that was known. One that the inbox has after all, because
// only the answer was lost, was not missed.
func (in Inbox) RecordMissed(m Missed) (fresh bool, err error) {
	arrived, err := in.Arrived(m.GUID)
	if err != nil || arrived {
		return false, err
	}
	n, err := in.tx.exec(`INSERT INTO missed (`+missedColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, '') ON CONFLICT (guid) DO NOTHING`,
		m.GUID, m.Attempt, m.Event, m.Repository, m.Installation, micros(m.First), micros(m.RunAt))
	return n > 0, wrap("note the missed delivery "+m.GUID, err)
}

// Arrived reports whether the inbox holds a webhook of GitHub's.
func (in Inbox) Arrived(guid string) (bool, error) {
	var one int
	found, err := in.tx.one([]any{&one}, `SELECT 1 FROM deliveries WHERE id = $1`, (&Delivery{Source: "github", GUID: guid}).id())
	return found, wrap("look for delivery "+guid, err)
}

// NextMissed returns the missed delivery that GitHub is to be asked for: of those that are due, the one that it tried first,
// so that what happened is told in the order in which it did; GitHub's times are whole seconds, and its ids grow. It is nil
// if there is none now, and then the time when there will be one, zero if none is known.
func (in Inbox) NextMissed() (m *Missed, wake time.Time, err error) {
	_, err = in.tx.one([]any{at(&wake)}, `SELECT CASE WHEN run_at < ask_at THEN ask_at ELSE run_at END FROM missed, sweep ORDER BY run_at LIMIT 1`)
	if err != nil || wake.IsZero() || wake.After(in.tx.Now) {
		return nil, wake, wrap("find when a missed delivery is due", err)
	}
	due, err := list(in.tx, (*Missed).dest, `SELECT `+missedColumns+` FROM missed WHERE run_at <= $1 ORDER BY first_at, attempt LIMIT 1`,
		micros(in.tx.Now))
	if err != nil || len(due) == 0 {
		return nil, time.Time{}, wrap("find a missed delivery", err)
	}
	return &due[0], time.Time{}, nil
}

// AskNext has GitHub not asked for another delivery before a time.
func (in Inbox) AskNext(from time.Time) error {
	return in.tx.mustChange("wait with the next redelivery", `UPDATE sweep SET ask_at = $1 WHERE one = 1`, micros(from))
}

// MissedBefore returns the missed deliveries that GitHub first tried before a time.
func (in Inbox) MissedBefore(before time.Time) ([]Missed, error) {
	all, err := list(in.tx, (*Missed).dest, `SELECT `+missedColumns+` FROM missed WHERE first_at < $1 ORDER BY first_at`, micros(before))
	return all, wrap("list missed deliveries", err)
}

// MissedAskedFor notes that GitHub was asked for another attempt, how that went, and when to ask again if it does not come.
func (in Inbox) MissedAskedFor(guid, trouble string, retry time.Time) error {
	_, err := in.tx.exec(`UPDATE missed SET tries = tries + 1, error = $2, run_at = $3 WHERE guid = $1`, guid, trouble, micros(retry))
	return wrap("ask for delivery "+guid, err)
}

// AskAnew makes everything due at once that GitHub was asked for and that has not come: it may have come to a process that
// is gone.
func (in Inbox) AskAnew() error {
	_, err := in.tx.exec(`UPDATE missed SET run_at = $1 WHERE tries > 0 AND error = '' AND run_at > $1`, micros(in.tx.Now))
	return wrap("ask anew for missed deliveries", err)
}

// ForgetMissed ends the search for a delivery: it came, or it never will.
func (in Inbox) ForgetMissed(guid string) error {
	_, err := in.tx.exec(`DELETE FROM missed WHERE guid = $1`, guid)
	return wrap("forget the missed delivery "+guid, err)
}

// wrap says what went wrong, if something did.
func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
