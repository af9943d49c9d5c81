package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// StageKey names a stage of a pipeline.
type StageKey struct {
	Pipeline int64 // GitHub's id of the home repository
	Stage    promotion.StageName
}

// StageRow has the store's own columns of a stage.
type StageRow struct {
	Key       StageKey
	Position  int
	Undecided bool      // something has changed that it has not been decided upon
	Wake      time.Time // when to decide it again; zero: only after an event
	Removed   time.Time // since when the pipeline file does not have it; zero: it does
}

func (s *StageRow) dest() []any {
	return []any{&s.Key.Pipeline, &s.Key.Stage, &s.Position, &s.Undecided, at(&s.Wake), at(&s.Removed)}
}

const stageColumns = `pipeline, name, position, version > decided, wake_at, removed_at`

// Of returns the stages of a pipeline in the order of its file, those that were removed last.
func (ss Stages) Of(pipeline int64) ([]StageRow, error) {
	all, err := list(ss.tx, (*StageRow).dest, `SELECT `+stageColumns+` FROM stages WHERE pipeline = $1
		ORDER BY CASE WHEN removed_at IS NULL THEN 0 ELSE 1 END, position, name`, pipeline)
	if err != nil {
		return nil, fmt.Errorf("list stages: %w", err)
	}
	return all, nil
}

// NextUndecided returns a stage that has to be decided: something that concerns it has changed, or its time has come.
// Stages take turns, after being the one that was decided last: those behind it in the order of its file, then those of
// the other pipelines, so that a stage of which there is news all the time keeps no other waiting. Those of a stale
// pipeline wait for its resync. It is one that two processes in a row have died of if suspect is true, else another.
// Without one, key.Stage is empty and wake is when the next one's time comes, the zero time if there is none. It is one
// statement.
func (ss Stages) NextUndecided(after StageKey, suspect bool) (key StageKey, wake time.Time, err error) {
	_, err = ss.tx.one([]any{&key.Pipeline, &key.Stage, at(&wake)}, nextUndecided, micros(ss.tx.Now), after.Pipeline,
		after.Stage, suspect)
	if err != nil {
		return StageKey{}, time.Time{}, fmt.Errorf("find an undecided stage: %w", err)
	}
	if key.Stage != "" {
		wake = time.Time{}
	}
	return key, wake, nil
}

// nextUndecided finds the next stage behind a given one, and otherwise from the first on, and the next time. Changed
// stages and woken ones have an index each.
var nextUndecided = func() string {
	meant := unlessUnready(`stages.pipeline`) + ` AND (` + suspect(`stages`) + `) = $4`
	turn := func(around int, turn string) string {
		inTurn := meant + ` AND not_before <= $1 AND (pipeline, position, name) ` + turn + `
			($2, COALESCE((SELECT position FROM stages WHERE pipeline = $2 AND name = $3), -1), $3)
			ORDER BY pipeline, position, name LIMIT 1`
		return fmt.Sprintf(`SELECT * FROM (SELECT %d AS around, pipeline, position, name FROM stages
				WHERE version > decided%s) AS changed
			UNION ALL SELECT * FROM (SELECT %d, pipeline, position, name FROM stages WHERE wake_at <= $1%s) AS woken`,
			around, inTurn, around, inTurn)
	}
	return `SELECT COALESCE(undecided.pipeline, 0), COALESCE(undecided.name, ''), soonest.wake FROM (
			SELECT MIN(at) AS wake FROM (SELECT MIN(wake_at) AS at FROM stages WHERE wake_at > $1
			UNION ALL SELECT MIN(not_before) FROM stages
				WHERE (version > decided OR wake_at <= $1)` + meant + `) AS times) AS soonest
		LEFT JOIN (SELECT pipeline, name FROM (` + turn(0, `>`) + `
			UNION ALL ` + turn(1, `<=`) + `) AS found
			ORDER BY around, pipeline, position, name LIMIT 1) AS undecided ON 1 = 1`
}()

// branchesOf returns the branches that hold files of a stage, or held them when the stage was removed.
func (ss Stages) branchesOf(key StageKey) ([]promotion.Branch, error) {
	return list(ss.tx, branchDest, `SELECT repo, branch FROM stage_branches WHERE pipeline = $1 AND stage = $2`,
		key.Pipeline, key.Stage)
}

func branchDest(b *promotion.Branch) []any { return []any{&b.Repo, &b.Name} }

// Postpone leaves a stage alone that could not be decided, so that it does not keep the others waiting: until a time,
// or until something new concerns it. It stays undecided, and so nothing of it is merged meanwhile.
func (ss Stages) Postpone(key StageKey, until time.Time) error {
	delete(ss.tx.touched, key)
	return ss.tx.mustChange(fmt.Sprintf("postpone stage %s", key.Stage),
		`UPDATE stages SET not_before = $3 WHERE pipeline = $1 AND name = $2`,
		key.Pipeline, key.Stage, micros(until))
}

func stageKeyDest(k *StageKey) []any { return []any{&k.Pipeline, &k.Stage} }

// touch notes that a fact concerns the stages that a query names: they have to be decided. The query has two columns,
// pipeline and stage.
func (ss Stages) touch(stages string, args ...any) error {
	var keys []StageKey
	err := ss.tx.unnoted(stagesAlone, func() (err error) { // mostly there are none
		keys, err = list(ss.tx, stageKeyDest, touched+`(pipeline, name) IN (`+stages+`) RETURNING pipeline, name`, args...)
		return err
	})
	for _, k := range keys {
		ss.noteTouched(k)
	}
	return wrap("mark the stages that it concerns", err)
}

// touched has stages decided again, unless they are parked.
var touched = fmt.Sprintf(`UPDATE stages SET version = version + 1,
	not_before = CASE WHEN deaths >= %d THEN not_before ELSE 0 END WHERE `, deadlyDeaths)

// touchStage has a stage decided again, unless it is parked.
var touchStage = touched + `pipeline = $1 AND name = $2`

// stagesAlone is the table of stages.
var stagesAlone = tablesOf("stages")

// noteTouched notes that this transaction has had a stage decided again.
func (ss Stages) noteTouched(key StageKey) {
	if ss.tx.touched == nil {
		ss.tx.touched = map[StageKey]bool{}
	}
	ss.tx.touched[key] = true
	ss.tx.wrote |= stagesAlone
}

// Touch has a stage decided again. One that this transaction has touched already needs no more.
func (ss Stages) Touch(key StageKey) error {
	if ss.tx.touched[key] {
		return nil
	}
	ss.noteTouched(key)
	_, err := ss.tx.exec(touchStage, key.Pipeline, key.Stage)
	if err != nil {
		return fmt.Errorf("mark stage %s: %w", key.Stage, err)
	}
	return nil
}

// touchAll has all stages of a pipeline decided again but one, which may be none.
func (ss Stages) touchAll(pipeline int64, but promotion.StageName) error {
	return ss.touch(`SELECT pipeline, name FROM stages WHERE pipeline = $1 AND name <> $2`, pipeline, but)
}

// touchPromotion has the stage of a promotion decided again.
func (ss Stages) touchPromotion(pipeline int64, n promotion.Number) error {
	return ss.touch(`SELECT pipeline, stage FROM promotions WHERE pipeline = $1 AND number = $2`, pipeline, n)
}
