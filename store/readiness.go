package store

import (
	"database/sql/driver"
	"fmt"

	"waybill/promotion"
)

// RecordReadiness records what GitHub has said of a stage's targets. heard is what Heard had returned before it was asked: what
// was heard since may be newer than the answer.
func (fs Facts) RecordReadiness(key StageKey, r promotion.Readiness, heard int64) error {
	before, err := fs.readiness(key)
	if err == nil {
		r = r.Follows(before)
		_, err = fs.tx.exec(`INSERT INTO readiness (pipeline, stage, conditions, lacks, asked, tries, asked_at, heard, known)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
			ON CONFLICT (pipeline, stage) DO UPDATE SET conditions = $3, lacks = $4, asked = $5, tries = $6, asked_at = $7, known = $8`,
			key.Pipeline, key.Stage, r.Of, lacksColumn{&r.Lacks}, r.Asked, r.Tries, micros(r.At), heard)
	}
	if err != nil {
		return fmt.Errorf("record which targets of %s are ready: %w", key.Stage, err)
	}
	return fs.tx.Ledger.Touch(key)
}

// Heard returns how often something was heard that may have changed what GitHub says of a stage's targets.
func (fs Facts) Heard(key StageKey) (n int64, err error) {
	if _, err = fs.tx.one([]any{&n}, `SELECT heard FROM readiness WHERE pipeline = $1 AND stage = $2`, key.Pipeline, key.Stage); err != nil {
		return 0, fmt.Errorf("ask what was heard of the targets of %s: %w", key.Stage, err)
	}
	return n, nil
}

// readiness returns what GitHub has said of a stage's targets, or nil if it was never asked.
func (fs Facts) readiness(key StageKey) (*promotion.Readiness, error) {
	var r promotion.Readiness
	found, err := fs.tx.one([]any{&r.Of, lacksColumn{&r.Lacks}, &r.Asked, &r.Tries, at(&r.At), &r.Stale},
		`SELECT conditions, lacks, asked, tries, asked_at, heard > known FROM readiness WHERE pipeline = $1 AND stage = $2`, key.Pipeline, key.Stage)
	if err != nil || !found {
		return nil, err
	}
	return &r, nil
}

// OutdateReadiness notes that what GitHub has said of a stage's targets may not hold any more.
func (fs Facts) OutdateReadiness(key StageKey) error {
	n, err := fs.tx.exec(`UPDATE readiness SET heard = heard + 1 WHERE pipeline = $1 AND stage = $2`, key.Pipeline, key.Stage)
	if err != nil {
		return fmt.Errorf("note that targets of %s may be ready: %w", key.Stage, err)
	}
	if n == 0 {
		return nil
	}
	return fs.tx.Ledger.Touch(key)
}

// OutdateLacking is OutdateReadiness for all stages of a pipeline in which targets are not ready.
func (fs Facts) OutdateLacking(pipeline int64) error {
	keys, err := list(fs.tx, stageKeyDest, `SELECT pipeline, stage FROM readiness WHERE pipeline = $1 AND lacks <> '[]'`, pipeline)
	if err != nil {
		return fmt.Errorf("list the stages whose targets are not ready: %w", err)
	}
	for _, key := range keys {
		if err := fs.OutdateReadiness(key); err != nil {
			return err
		}
	}
	return nil
}

// storedLacking is how a condition that is not met is stored. The names are what old rows have: a field may be added, never
// renamed.
type storedLacking struct {
	Kind  promotion.SignalKind `json:"kind"`
	Name  string               `json:"name"`
	App   string               `json:"app,omitempty"`
	State string               `json:"state,omitempty"`
	// where it is looked for, if that is not where the files of the stage are
	Repo   promotion.Repo `json:"repo,omitempty"`
	Branch string         `json:"branch,omitempty"`
}

// lacksColumn stores and scans conditions that are not met.
type lacksColumn struct{ all *[]promotion.Lacking }

// Value implements driver.Valuer.
func (c lacksColumn) Value() (driver.Value, error) {
	rows := []storedLacking{}
	for _, l := range *c.all {
		rows = append(rows, storedLacking{l.Kind, l.Name, l.App, l.State, l.Files.Repo, l.Files.Name})
	}
	return asJSON(rows).Value()
}

// Scan implements sql.Scanner.
func (c lacksColumn) Scan(v any) error {
	var rows []storedLacking
	if err := asJSON(&rows).Scan(v); err != nil {
		return fmt.Errorf("read which targets are ready: %w", err)
	}
	*c.all = nil
	for _, r := range rows {
		on := promotion.Branch{Repo: r.Repo, Name: r.Branch}
		*c.all = append(*c.all, promotion.Lacking{Condition: promotion.Condition{Kind: r.Kind, Name: r.Name, App: r.App, Files: on}, State: r.State})
	}
	return nil
}
