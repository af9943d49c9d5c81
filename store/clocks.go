package store

import (
	"fmt"
	"time"
)

// Clock is something that is done for the whole server at intervals. Its times are in the database, so that a restart
// neither resets it nor lets it ring early.
type Clock struct {
	Name     string
	Done     time.Time // when the last complete run began; zero: never
	Due      time.Time
	Failures int // since the last complete run
	Error    string
}

const clockColumns = `name, done_at, due_at, failures, error`

func (c *Clock) dest() []any {
	return []any{&c.Name, at(&c.Done), at(&c.Due), &c.Failures, &c.Error}
}

// ClaimClock takes a clock that is due, for as long as lease; nil if it is not, and then wake is when it will be. There is a
// clock once a migration has made it.
func (cs Clocks) ClaimClock(name string, lease time.Duration) (c *Clock, wake time.Time, err error) {
	claimed, err := list(cs.tx, (*Clock).dest, `UPDATE clocks SET due_at = $3, holder = $4 WHERE name = $1 AND due_at <= $2
		RETURNING `+clockColumns, name, micros(cs.tx.Now), micros(cs.tx.Now.Add(lease)), cs.tx.holder)
	if err == nil && len(claimed) > 0 {
		return &claimed[0], time.Time{}, nil
	}
	if err == nil {
		_, err = cs.tx.one([]any{at(&wake)}, `SELECT due_at FROM clocks WHERE name = $1`, name)
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim clock %s: %w", name, err)
	}
	return nil, wake, nil
}

// ClockDone notes that what a clock is for has been done, when that began, and when it is due again.
func (cs Clocks) ClockDone(name string, began, due time.Time) error {
	return cs.tx.mustChange("wind clock "+name, `UPDATE clocks SET done_at = $2, due_at = $3, holder = '', failures = 0, error = ''
		WHERE name = $1`, name, micros(began), micros(due))
}

// ClockFailed notes why what a clock is for could not be done, and when to try again.
func (cs Clocks) ClockFailed(name, why string, retry time.Time) error {
	return cs.tx.mustChange("wind clock "+name, `UPDATE clocks SET due_at = $2, holder = '', failures = failures + 1, error = $3
		WHERE name = $1`, name, micros(retry), why)
}

// Clocks returns all clocks by name.
func (cs Clocks) Clocks() ([]Clock, error) {
	all, err := list(cs.tx, (*Clock).dest, `SELECT `+clockColumns+` FROM clocks ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("list clocks: %w", err)
	}
	return all, nil
}
