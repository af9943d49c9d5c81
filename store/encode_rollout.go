package store

import (
	"database/sql/driver"
	"fmt"
	"time"

	"waybill/promotion"
)

// storedRollout and storedBatch are the stored form of a rollout. Old rows have their names: a field may be added,
// never renamed.
type storedRollout struct {
	Batches        []storedBatch          `json:"batches"`
	Step           int                    `json:"step"`
	Batch          int                    `json:"batch"`
	Targets        []promotion.TargetName `json:"targets"`
	Waiting        []promotion.TargetName `json:"waiting,omitempty"`
	Gone           []promotion.TargetName `json:"gone,omitempty"`
	Skipped        []promotion.TargetName `json:"skipped,omitempty"`
	Merged         int                    `json:"merged,omitempty"`
	LeftOut        int                    `json:"leftOut,omitempty"`
	EnteredBatches []int                  `json:"enteredBatches,omitempty"`
	// old rows: the steps of the present batch that had been merged
	Entered int `json:"entered,omitempty"`
	// who has paused it
	PausedBy promotion.Login `json:"pausedBy,omitempty"`
	PausedID int64           `json:"pausedByID,omitempty"`
	// when its deadlines began anew, in microseconds
	Resumed      int64 `json:"resumed,omitempty"`
	WroteNothing bool  `json:"wroteNothing,omitempty"`
	Unclear      bool  `json:"unclear,omitempty"`
	Widened      bool  `json:"widened,omitempty"`
}

type storedBatch struct {
	Name    string                 `json:"name"`
	Targets []promotion.TargetName `json:"targets"`
	AtOnce  int                    `json:"atOnce"`
	Wait    time.Duration          `json:"wait,omitempty"` // nanoseconds

	Approvals int `json:"approvals,omitempty"`
}

// rolloutColumn stores and scans a rollout; it is null until the promotion starts.
type rolloutColumn struct{ r **promotion.Rollout }

// Value implements driver.Valuer.
func (c rolloutColumn) Value() (driver.Value, error) {
	if *c.r == nil {
		return "null", nil
	}
	r := **c.r
	row := storedRollout{
		Step: r.Step, Batch: r.Batch, Targets: r.Targets, Waiting: r.Waiting, Gone: r.Gone, Skipped: r.Skipped,
		Merged: r.Merged, LeftOut: r.LeftOut, EnteredBatches: r.Entered, PausedBy: r.Paused.Login, PausedID: r.Paused.ID,
		Resumed: microsOf(r.Resumed), WroteNothing: r.WroteNothing, Unclear: r.Unclear, Widened: r.Widened,
	}
	for _, b := range r.Batches {
		row.Batches = append(row.Batches, storedBatch(b))
	}
	return asJSON(row).Value()
}

// Scan implements sql.Scanner.
func (c rolloutColumn) Scan(v any) error {
	var row *storedRollout
	if err := asJSON(&row).Scan(v); err != nil {
		return fmt.Errorf("read a rollout: %w", err)
	}
	*c.r = nil
	if row == nil {
		return nil
	}
	r := promotion.Rollout{
		Step: row.Step, Batch: row.Batch, Targets: row.Targets, Waiting: row.Waiting, Gone: row.Gone, Skipped: row.Skipped,
		Merged: row.Merged, Entered: row.EnteredBatches, LeftOut: row.LeftOut,
		Paused: promotion.Actor{ID: row.PausedID, Login: row.PausedBy}, Resumed: timeOf(row.Resumed),
		WroteNothing: row.WroteNothing, Unclear: row.Unclear, Widened: row.Widened,
	}
	if row.Entered > 0 && r.Entered == nil {
		r.Entered = []int{row.Batch}
	}
	for _, b := range row.Batches {
		r.Batches = append(r.Batches, promotion.Batch(b))
	}
	*c.r = &r
	return nil
}

// storedResult is the stored form of a target's result, with times in microseconds.
type storedResult struct {
	Target  promotion.TargetName `json:"target"`
	Step    int                  `json:"step"`
	Commit  promotion.SHA        `json:"commit"`
	Merged  int64                `json:"merged,omitempty"` // none in old rows
	Since   int64                `json:"since,omitempty"`
	Verdict promotion.Verdict    `json:"verdict,omitempty"`
	Judged  int64                `json:"judged,omitempty"`
	Cause   string               `json:"cause,omitempty"`
	By      *[]storedMatcher     `json:"by,omitempty"` // none in old rows
}

// storedMatcher is the stored form of a matcher that made a verdict.
type storedMatcher struct {
	Kind    promotion.SignalKind `json:"kind"`
	Pattern string               `json:"pattern"`
	App     string               `json:"app,omitempty"`
	Skipped promotion.Lack       `json:"skipped,omitempty"`
}

// storedMatchers is the stored form of the list that a verdict keeps; nil: it keeps none.
func storedMatchers(list []promotion.Matcher) *[]storedMatcher {
	if list == nil {
		return nil
	}
	rows := make([]storedMatcher, len(list))
	for i, m := range list {
		rows[i] = storedMatcher{Kind: m.Kind, Pattern: m.Pattern, App: m.App, Skipped: m.Skipped}
	}
	return &rows
}

// matchers is the list that a stored result keeps.
func (row *storedResult) matchers() []promotion.Matcher {
	if row.By == nil {
		return nil
	}
	list := make([]promotion.Matcher, len(*row.By))
	for i, m := range *row.By {
		list[i] = promotion.Matcher{Kind: m.Kind, Pattern: m.Pattern, App: m.App, Skipped: m.Skipped}
	}
	return list
}

// resultsColumn stores and scans the results of a deployment; none are null.
type resultsColumn struct{ all *[]promotion.TargetResult }

// Value implements driver.Valuer.
func (c resultsColumn) Value() (driver.Value, error) {
	var rows []storedResult
	for _, p := range *c.all {
		cause, err := because(&p.Cause).Value()
		if err != nil {
			return nil, err
		}
		rows = append(rows, storedResult{
			Target: p.Target, Step: p.Step, Commit: p.Commit, Merged: microsOf(p.Merged), Since: microsOf(p.Since),
			Verdict: p.Verdict, Judged: microsOf(p.Judged), Cause: cause.(string), By: storedMatchers(p.By),
		})
	}
	return asJSON(rows).Value()
}

// Scan implements sql.Scanner.
func (c resultsColumn) Scan(v any) error {
	var rows []storedResult
	if err := asJSON(&rows).Scan(v); err != nil {
		return fmt.Errorf("read the targets of a stay: %w", err)
	}
	*c.all = nil
	for _, row := range rows {
		p := promotion.TargetResult{
			Target: row.Target, Step: row.Step, Commit: row.Commit, Merged: timeOf(row.Merged), Since: timeOf(row.Since),
			Verdict: row.Verdict, Judged: timeOf(row.Judged), By: row.matchers(),
		}
		if err := because(&p.Cause).Scan(row.Cause); err != nil {
			return err
		}
		*c.all = append(*c.all, p)
	}
	return nil
}

// microsOf is a time as JSON has it: microseconds since 1970; 0 for the zero time.
func microsOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func timeOf(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
