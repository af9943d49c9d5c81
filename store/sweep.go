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
func (tx *Tx) Sweep() (Sweep, error) {
	var s Sweep
	found, err := tx.one([]any{at(&s.Due), at(&s.Swept), at(&s.ReadTo), &s.Failures, &s.Error},
		`SELECT due, swept_at, read_to, failures, error FROM sweep WHERE one = 1`)
	return s, orNotFound(found, err, "read the state of the sweep")
}

// AskSweep makes the next sweep due now.
func (tx *Tx) AskSweep() error {
	return tx.mustChange("ask for a sweep", `UPDATE sweep SET due = $1 WHERE one = 1`, micros(tx.Now))
}

// Swept notes that a sweep is complete, how far it has read GitHub's list, and when the next is due.
func (tx *Tx) Swept(began, readTo, next time.Time) error {
	return tx.mustChange("note a sweep", `UPDATE sweep SET swept_at = $1, read_to = $2, due = $3, failures = 0, error = '' WHERE one = 1`,
		micros(began), micros(readTo), micros(next))
}

// SweepFailed notes why a sweep was not complete, and when to try again.
func (tx *Tx) SweepFailed(why string, retry time.Time) error {
	return tx.mustChange("note a failed sweep", `UPDATE sweep SET due = $1, error = $2, failures = failures + 1 WHERE one = 1`,
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
func (tx *Tx) RecordMissed(m Missed) (fresh bool, err error) {
	arrived, err := tx.Arrived(m.GUID)
	if err != nil || arrived {
		return false, err
	}
	n, err := tx.exec(`INSERT INTO missed (`+missedColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, '') ON CONFLICT (guid) DO NOTHING`,
		m.GUID, m.Attempt, m.Event, m.Repository, m.Installation, micros(m.First), micros(m.RunAt))
	return n > 0, wrap("note the missed delivery "+m.GUID, err)
}

// Arrived reports whether the inbox holds a webhook of GitHub's.
func (tx *Tx) Arrived(guid string) (bool, error) {
	var one int
	found, err := tx.one([]any{&one}, `SELECT 1 FROM deliveries WHERE id = $1`, (&Delivery{Source: "github", GUID: guid}).id())
	return found, wrap("look for delivery "+guid, err)
}

// NextMissed returns the missed delivery that GitHub is to be asked for; nil if there is none now, and then when there
// will be one, the zero time if none is known.
func (tx *Tx) NextMissed() (m *Missed, wake time.Time, err error) {
	due, err := list(tx, (*Missed).dest, `SELECT `+missedColumns+` FROM missed ORDER BY run_at, guid LIMIT 1`)
	if err != nil || len(due) == 0 {
		return nil, time.Time{}, wrap("find a missed delivery", err)
	}
	if due[0].RunAt.After(tx.Now) {
		return nil, due[0].RunAt, nil
	}
	return &due[0], time.Time{}, nil
}

// MissedBefore returns the missed deliveries that GitHub first tried before a time.
func (tx *Tx) MissedBefore(before time.Time) ([]Missed, error) {
	all, err := list(tx, (*Missed).dest, `SELECT `+missedColumns+` FROM missed WHERE first_at < $1 ORDER BY first_at`, micros(before))
	return all, wrap("list missed deliveries", err)
}

// MissedAskedFor notes that GitHub was asked for another attempt, how that went, and when to ask again if it does not come.
func (tx *Tx) MissedAskedFor(guid, trouble string, retry time.Time) error {
	_, err := tx.exec(`UPDATE missed SET tries = tries + 1, error = $2, run_at = $3 WHERE guid = $1`, guid, trouble, micros(retry))
	return wrap("ask for delivery "+guid, err)
}

// AskAnew has GitHub asked once more, one after the other, for what it was asked for and what has not come: it may have come
// to a process that is gone.
func (tx *Tx) AskAnew(pace time.Duration) error {
	_, err := tx.exec(`UPDATE missed SET run_at = $1 + $2 * asked.before
		FROM (SELECT guid AS one, ROW_NUMBER() OVER (ORDER BY run_at, guid) - 1 AS before FROM missed
			WHERE tries > 0 AND error = '' AND run_at > $1) AS asked
		WHERE missed.guid = asked.one`, micros(tx.Now), pace.Microseconds())
	return wrap("ask anew for missed deliveries", err)
}

// ForgetMissed ends the search for a delivery: it came, or it never will.
func (tx *Tx) ForgetMissed(guid string) error {
	_, err := tx.exec(`DELETE FROM missed WHERE guid = $1`, guid)
	return wrap("forget the missed delivery "+guid, err)
}

// wrap says what went wrong, if something did.
func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
