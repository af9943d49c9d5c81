package store

import (
	"fmt"
	"time"
)

// Postpone has a stage that could not be decided tried again at a later time, unless something new concerns it before.
func (tx *Tx) Postpone(key StageKey, until time.Time) error {
	return tx.mustChange(fmt.Sprintf("postpone stage %s", key.Stage),
		`UPDATE stages SET decided = dirty, wake_at = $3 WHERE pipeline = $1 AND name = $2`, key.Pipeline, key.Stage, micros(until))
}
