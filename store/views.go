package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

// View is something that shows people where things stand: a sticky comment, a check run, labels, a message. Only its last
// state matters; the states in between need not be shown.
type View struct {
	Surface  string // names it for ever: "comment:acme/api#142"
	Pipeline int64
	Stage    promotion.StageName // empty: of no stage
	Kind     string              // "comment", "check", "deployment", "labels" or "slack"
	Wanted   string              // what it should show, as its kind understands it
	Shown    string              // what it shows; empty: nothing
	RemoteID string              // what the other side calls it; empty: it is not there yet
	Node     string              // what GitHub's GraphQL calls it; empty: nobody has asked for it
	Attempts int                 // since something was last shown
	// Due is when something new may be shown at the earliest, so that what happens until then is shown once; zero: now. Only
	// WantView looks at it.
	Due time.Time
	// Pressing is what does not wait until an earlier wish is due. Only WantView looks at it.
	Pressing bool
}

const viewColumns = `v.surface, v.pipeline, v.stage, v.kind, v.wanted, v.shown, v.remote_id, v.node, v.attempts`

func (v *View) dest() []any {
	return []any{&v.Surface, &v.Pipeline, &v.Stage, &v.Kind, &v.Wanted, &v.Shown, &v.RemoteID, &v.Node, &v.Attempts}
}

// WantView notes what a surface should show. It reports whether that is new. What is new again before it has been shown does
// not put it off.
func (vs Views) WantView(v View) (changed bool, err error) {
	n, err := vs.tx.exec(`INSERT INTO views (surface, pipeline, stage, kind, wanted, shown, remote_id, node, run_at, attempts, holder, error)
		VALUES ($1, $2, $3, $4, $5, '', '', '', $6, 0, '', '')
		ON CONFLICT (surface) DO UPDATE SET wanted = $5, remade = 0, run_at = CASE WHEN $8 AND views.attempts = 0 THEN $6
			WHEN views.wanted = views.shown AND views.run_at < $6 THEN $6 WHEN views.run_at < $7 THEN $7 ELSE views.run_at END
		WHERE views.wanted <> $5`, v.Surface, v.Pipeline, v.Stage, v.Kind, v.Wanted, micros(later(v.Due, vs.tx.Now)), micros(vs.tx.Now), v.Pressing)
	if err != nil {
		return false, fmt.Errorf("want view %s: %w", v.Surface, err)
	}
	return n > 0, nil
}

// ClaimView takes a view that does not show what it should, for as long as lease. Pipelines take turns, after being the one
// that was served last. The views of a stage wait for its effects: what happens goes before what is said about it, and is
// then said once. It is nil if there is none; then wake is when the next may be tried, the zero time if only an event can
// make one due.
func (vs Views) ClaimView(after int64, lease time.Duration) (v *View, wake time.Time, err error) {
	surface, err := vs.viewInTurn(after, lease)
	if err == nil && surface != "" {
		v = new(View)
		_, err = vs.tx.one(v.dest(), `SELECT `+viewColumns+` FROM views v WHERE v.surface = $1`, surface)
	}
	if err == nil && surface == "" {
		_, err = vs.tx.one([]any{at(&wake)}, `SELECT MIN(run_at) FROM views WHERE wanted <> shown AND run_at > $1`, micros(vs.tx.Now))
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim a view: %w", err)
	}
	return v, wake, nil
}

// viewInTurn looks at one pipeline after the other, once around, for a view that may be shown now, and claims it.
func (vs Views) viewInTurn(after int64, lease time.Duration) (surface string, err error) {
	for _, turn := range turns {
		// The predicate stands outside the sub-select as well: with it inside only, two workers of PostgreSQL claim one row.
		found, err := vs.tx.one([]any{&surface}, `UPDATE views SET attempts = attempts + 1, run_at = $3, holder = $4
			WHERE surface = (SELECT v.surface FROM pipelines p JOIN views v ON v.surface = (
					SELECT d.surface FROM views d WHERE d.pipeline = p.id AND d.wanted <> d.shown AND d.run_at <= $1
						AND NOT EXISTS (SELECT 1 FROM effects e WHERE e.pipeline = d.pipeline AND e.stage = d.stage AND e.state = 'due' AND e.run_at <= $1)
					ORDER BY d.run_at, d.surface LIMIT 1)
				WHERE `+turn+` ORDER BY p.id LIMIT 1)
				AND wanted <> shown AND run_at <= $1
			RETURNING surface`, micros(vs.tx.Now), after, micros(vs.tx.Now.Add(lease)), vs.tx.holder)
		if err != nil || found {
			return surface, err
		}
	}
	return "", nil
}

// ClaimMore takes more check runs and deployments, which one request can show together with one that was claimed: those of its
// pipeline, most of them at a time. What was tried before is shown alone: what is wrong with it keeps nothing else.
func (vs Views) ClaimMore(v *View, lease time.Duration) ([]View, error) {
	more, err := list(vs.tx, func(m *View) []any {
		m.Pipeline = v.Pipeline
		return []any{&m.Surface, &m.Stage, &m.Kind, &m.Wanted, &m.Shown, &m.RemoteID, &m.Node, &m.Attempts}
	}, `UPDATE views SET attempts = attempts + 1, run_at = $3, holder = $4
		WHERE surface IN (SELECT d.surface FROM views d WHERE d.pipeline = $1 AND d.wanted <> d.shown AND d.run_at <= $2
				AND d.kind IN ('check', 'deployment') AND d.attempts = 0
				AND NOT EXISTS (SELECT 1 FROM effects e WHERE e.pipeline = d.pipeline AND e.stage = d.stage AND e.state = 'due' AND e.run_at <= $2)
				ORDER BY d.run_at, d.surface LIMIT `+fmt.Sprint(shownTogether-1)+`)
			AND wanted <> shown AND run_at <= $2 AND attempts = 0
		RETURNING surface, stage, kind, wanted, shown, remote_id, node, attempts`,
		v.Pipeline, micros(vs.tx.Now), micros(vs.tx.Now.Add(lease)), vs.tx.holder)
	if err != nil {
		return nil, fmt.Errorf("claim more views: %w", err)
	}
	slices.SortFunc(more, func(a, b View) int { return strings.Compare(a.Surface, b.Surface) })
	return more, nil
}

// shownTogether is how many views one request shows at most: GitHub gives up on requests that take it ten seconds.
const shownTogether = 10

// ShowedView notes that a surface shows what was wanted of it when it was claimed, and what the other side calls it. What has been
// wanted meanwhile is due, but not before again; the zero time is now.
func (vs Views) ShowedView(v *View, again time.Time) error {
	return vs.tx.mustChange("note what "+v.Surface+" shows", `UPDATE views SET shown = $2, remote_id = $3, node = $4, run_at = $5, attempts = 0, holder = '',
		error = '' WHERE surface = $1 AND holder = $6`, v.Surface, v.Wanted, v.RemoteID, v.Node, micros(later(again, vs.tx.Now)), vs.tx.holder)
}

// RetryView notes why a surface could not be shown, and when to try again.
func (vs Views) RetryView(surface, why string, retry time.Time) error {
	return vs.tx.mustChange("retry "+surface, `UPDATE views SET run_at = $2, holder = '', error = $3 WHERE surface = $1 AND holder = $4`,
		surface, micros(retry), why, vs.tx.holder)
}

// maxRemade is how often a view is made again, one time after the other, that somebody removes: enough for accidents, too few
// for a quarrel between two programs.
const maxRemade = 3

// LostView notes that somebody has removed what a surface showed, or a part of it: left is what it shows now, empty if that is
// nothing. It is made again, unless it was too often since something new was last wanted of it: the first time that it is not,
// given says so. A view that shows something else than when it was looked at is left alone.
func (vs Views) LostView(v *View, left string) (given bool, err error) {
	n, err := vs.tx.exec(`UPDATE views SET shown = $2, remade = remade + 1, run_at = CASE holder WHEN '' THEN $3 ELSE run_at END
		WHERE surface = $1 AND shown = $4 AND wanted = shown AND remade < $5`, v.Surface, left, micros(vs.tx.Now), v.Shown, maxRemade)
	if err == nil && n == 0 {
		n, err = vs.tx.exec(`UPDATE views SET remade = remade + 1 WHERE surface = $1 AND shown = $2 AND wanted = shown AND remade = $3`,
			v.Surface, v.Shown, maxRemade)
		given = n > 0
	}
	return given, wrap("note that "+v.Surface+" is gone", err)
}

// ViewBySurface returns a view.
func (vs Views) ViewBySurface(surface string) (View, error) {
	var v View
	found, err := vs.tx.one(v.dest(), `SELECT `+viewColumns+` FROM views v WHERE v.surface = $1`, surface)
	return v, orNotFound(found, err, "read view "+surface)
}

// ViewsUnder returns the views whose names begin with that of a surface and a slash.
func (vs Views) ViewsUnder(surface string) ([]View, error) {
	all, err := list(vs.tx, (*View).dest, `SELECT `+viewColumns+` FROM views v
		WHERE v.surface > $1 AND v.surface < $2 ORDER BY v.surface`, surface+"/", surface+"0")
	return all, wrap("read the views of "+surface, err)
}

// NoteRemote writes down what the other side calls a view, or how far it has come there, while it is being shown.
func (vs Views) NoteRemote(surface, remoteID string) error {
	return vs.tx.mustChange("note where "+surface+" is", `UPDATE views SET remote_id = $2 WHERE surface = $1 AND holder = $3`, surface, remoteID, vs.tx.holder)
}

// CheckByID returns the view of a check run that GitHub knows by a number. It is ErrNotFound if none of ours is shown as it.
func (vs Views) CheckByID(remoteID string) (View, error) {
	var v View
	found, err := vs.tx.one(v.dest(), `SELECT `+viewColumns+` FROM views v
		WHERE v.remote_id = $1 AND v.kind = 'check'`, remoteID)
	return v, orNotFound(found, err, "read the view of check run "+remoteID)
}

// RefreshView has a surface shown again although nothing about it is new.
func (vs Views) RefreshView(surface string) error {
	_, err := vs.tx.exec(`UPDATE views SET shown = '', run_at = CASE holder WHEN '' THEN $2 ELSE run_at END WHERE surface = $1`,
		surface, micros(vs.tx.Now))
	if err != nil {
		return fmt.Errorf("have %s shown again: %w", surface, err)
	}
	return nil
}
