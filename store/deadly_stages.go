package store

import (
	"errors"
	"fmt"
	"time"
)

// parkedFor is how long a stage is left alone whose decision is deadly.
const parkedFor = time.Hour

// BeginDecision notes that a stage is about to be decided, and reports whether it may be. A decision has no lease, and
// to note each would cost as much as the decision. So only the first one of each stage since the start is noted: what
// has killed a process is decided first by the next one, too.
//
// A stage that five processes have died of is parked: it is left alone for an hour, whatever happens meanwhile, and
// then decided once before it is parked again. Nothing is noted where several processes may have the database open.
func (ss Stages) BeginDecision(key StageKey) (may, parked bool, err error) {
	if !ss.tx.store.db.Alone() {
		return true, false, nil
	}
	var deaths int
	var fresh bool
	found, err := ss.tx.one([]any{&deaths, &fresh}, `SELECT deaths, not_before = 0 FROM stages
		WHERE pipeline = $1 AND name = $2`, key.Pipeline, key.Stage)
	what := fmt.Sprintf("begin to decide stage %s", key.Stage)
	switch err = orNotFound(found, err, what); {
	case err != nil:
		return false, false, err
	case deaths >= deadlyDeaths && fresh:
		// What is undecided has its effects wait, and a stage that was due by the clock alone would not be.
		return false, true, errors.Join(ss.Touch(key), ss.Postpone(key, ss.tx.Now.Add(parkedFor)))
	}
	return true, false, ss.tx.mustChange(what,
		`UPDATE stages SET deciding = TRUE, not_before = 0 WHERE pipeline = $1 AND name = $2`, key.Pipeline, key.Stage)
}

// EndDecision notes that the process has survived a decision that BeginDecision has noted.
func (ss Stages) EndDecision(key StageKey) error {
	_, err := ss.tx.exec(`UPDATE stages SET deciding = FALSE, deaths = 0
		WHERE pipeline = $1 AND name = $2 AND deciding`, key.Pipeline, key.Stage)
	return wrap(fmt.Sprintf("end the decision about stage %s", key.Stage), err)
}
