package store

import (
	"fmt"
	"time"
)

// AskSweep makes the next search for missed deliveries due now.
func (in Inbox) AskSweep() error { return in.tx.Clocks.ask(ClockSweep, 0) }

// SweepFirst makes the next search for missed deliveries due now, and has nothing of any pipeline decided or done
// before that is complete. Only the search shows that the database is a snapshot which was put back a moment ago: the
// first decision would give numbers a second time. A start begins with it.
func (in Inbox) SweepFirst() error {
	_, err := in.tx.exec(`UPDATE pipelines SET unswept = TRUE WHERE NOT unswept`)
	if err == nil {
		err = in.AskSweep()
	}
	if err == nil { // the tries that failed before the start are not those of this one
		_, err = in.tx.exec(`UPDATE clocks SET attempts = 0 WHERE name = $1 AND pipeline = 0`, ClockSweep)
	}
	return wrap("have missed deliveries looked for first", err)
}

// GoOnUnswept has decisions made though missed deliveries could not be looked for since the start.
func (in Inbox) GoOnUnswept() error {
	_, err := in.tx.exec(`UPDATE pipelines SET unswept = FALSE WHERE unswept`)
	return wrap("go on without looking for missed deliveries", err)
}

// ReadTo returns up to when GitHub's list of deliveries has been read, by GitHub's clock; zero: never.
func (in Inbox) ReadTo() (time.Time, error) {
	t, err := in.tx.oneTime(`SELECT read_to FROM sweep WHERE one = 1`)
	return t, wrap("read the state of the sweep", err)
}

// Swept notes that a sweep is complete, how far it has read GitHub's list, and when the next is due.
func (in Inbox) Swept(c *Clock, began, readTo, next time.Time) error {
	if err := in.GoOnUnswept(); err != nil {
		return err
	}
	if err := in.tx.mustChange("note a sweep", `UPDATE sweep SET read_to = $1 WHERE one = 1`, micros(readTo)); err != nil {
		return err
	}
	return in.tx.Clocks.ClockDone(c, began, next)
}

// Missed is a webhook that GitHub has tried to deliver, and that was not taken.
type Missed struct {
	GUID         string
	Lease        Lease // of one that was claimed
	Attempt      int64 // GitHub's id of the attempt that it is asked to repeat
	Event        string
	Repository   int64 // GitHub's id; 0: of no repository
	Installation int64
	First        time.Time // when GitHub first tried, by GitHub's clock
	RunAt        time.Time // GitHub is not asked before
	Tries        int       // how often GitHub has been asked for another attempt, or is being asked
	Error        string    // of the last time, if that was refused
}

const missedColumns = `guid, attempt, event, repository, installation, first_at, run_at, attempts, error`

func (m *Missed) dest() []any {
	return []any{
		&m.GUID, &m.Attempt, &m.Event, &m.Repository, &m.Installation, at(&m.First), at(&m.RunAt), &m.Tries, &m.Error,
	}
}

// priority is that of a missed delivery: what people have written comes first, because a resync does not find it.
func (m *Missed) priority() int {
	if m.Event == "issue_comment" || m.Event == "pull_request_review" {
		return 0
	}
	return 1
}

// missed deliveries are asked for in the order in which GitHub first tried, those of people first, so that events are
// recorded in the order in which they happened. GitHub's times are whole seconds, and its ids grow. The App itself
// asks, and no installation.
var missed = newQueue("missed", queueTable{
	table: "missed", key: []string{"guid"}, order: `q.first_at, q.attempt`, columns: missedColumns,
})

// RecordMissed notes that a delivery was missed; fresh is false if that was known. One that the inbox has after all,
// because only the answer was lost, was not missed.
func (in Inbox) RecordMissed(m Missed) (fresh bool, err error) {
	arrived, err := in.Arrived(m.GUID)
	if err != nil || arrived {
		return false, err
	}
	n, err := in.tx.exec(`INSERT INTO missed (guid, attempt, event, repository, installation, first_at,
			account, repo, priority, run_at, attempts, token, leased_until, error)
		VALUES ($1, $2, $3, $4, $5, $6, '', '', $8, $7, 0, '', 0, '') ON CONFLICT (guid) DO NOTHING`,
		m.GUID, m.Attempt, m.Event, m.Repository, m.Installation, micros(m.First), micros(m.RunAt), m.priority())
	return n > 0, wrap("note the missed delivery "+m.GUID, err)
}

// Arrived reports whether the inbox holds a webhook of GitHub's.
func (in Inbox) Arrived(guid string) (bool, error) {
	var one int
	found, err := in.tx.one([]any{&one}, `SELECT 1 FROM deliveries WHERE id = $1`,
		(&Delivery{Source: "github", GUID: guid}).id())
	return found, wrap("look for delivery "+guid, err)
}

// ClaimMissed takes the missed delivery that GitHub is to be asked for. It is nil if there is none now, and then wake
// is when there may be one, the zero time if none is known. The next is claimed after a pause.
func (in Inbox) ClaimMissed(c Claim, pause time.Duration) (m *Missed, wake time.Time, err error) {
	m, lease, wake, err := claim(in.tx, missed, c, (*Missed).dest)
	if err != nil || m == nil {
		return nil, wake, err
	}
	m.Lease = lease.of(m.GUID)
	return m, time.Time{}, in.tx.pause(missed, pause)
}

// MissedBefore returns the missed deliveries that GitHub first tried before a time.
func (in Inbox) MissedBefore(before time.Time) ([]Missed, error) {
	all, err := list(in.tx, (*Missed).dest, `SELECT `+missedColumns+` FROM missed WHERE first_at < $1 ORDER BY first_at`,
		micros(before))
	return all, wrap("list missed deliveries", err)
}

// MissedAskedFor notes that GitHub was asked for another attempt, how that went, and when to ask again if it does not
// come.
func (in Inbox) MissedAskedFor(m *Missed, trouble string, again time.Time) error {
	return in.tx.retry(m.Lease, trouble, again)
}

// AskAnew makes everything due at once that GitHub was asked for and that has not come: it may have come to a process
// that is gone.
func (in Inbox) AskAnew() error {
	_, err := in.tx.exec(`UPDATE missed SET run_at = $1 WHERE attempts > 0 AND error = '' AND token = '' AND run_at > $1`,
		micros(in.tx.Now))
	return wrap("ask anew for missed deliveries", err)
}

// ForgetMissed ends the search for a delivery: it came, or it never will.
func (in Inbox) ForgetMissed(guid string) error {
	_, err := in.tx.exec(`DELETE FROM missed WHERE guid = $1`, guid)
	return wrap("forget the missed delivery "+guid, err)
}

// wrap says which operation failed, if err is an error.
func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
