package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

const signalColumns = `s.repo, s.kind, s.id, s.sha, s.app, s.suite, s.name, s.state, s.url, s.started_at, s.ended_at,
	s.observed_at`

func signalDest(s *promotion.Signal) []any {
	return []any{&s.Repo, &s.Kind, &s.ID, &s.SHA, &s.App, &s.Suite, &s.Name, &s.State, &s.URL,
		at(&s.Started), at(&s.Ended), at(&s.Observed)}
}

// Record records an observation of a check, a status or a deployment. It concerns the stages that it may judge: those
// with a matcher that names it and that host the freight of its commit, or an earlier one whose files its commit left
// alone. A signal that judges nothing is kept for a while, because its freight may become known later. An older
// observation never replaces a newer one. One without a name is of a signal that is known by its id; if none is, it
// counts for nothing. It reports whether there was something new.
func (sg Signals) Record(s promotion.Signal) (changed bool, err error) {
	s = storable(s)
	old, changed, err := sg.save(&s)
	if err == nil && changed {
		err = sg.judgeBy(old, &s)
	}
	if err == nil && changed && settled(s) {
		err = sg.tx.Pulls.BumpAt(s.Repo, s.SHA)
	}
	if err != nil {
		return false, fmt.Errorf("record %s %s of %s: %w", s.Kind, s.Name, s.SHA, err)
	}
	return changed, nil
}

// save writes a signal down, and returns the stored one before; nil: none.
func (sg Signals) save(s *promotion.Signal) (old *promotion.Signal, changed bool, err error) {
	known, err := list(sg.tx, signalDest, `SELECT `+signalColumns+` FROM signals s WHERE s.repo = $1
		AND s.kind = $2 AND s.id = $3`, s.Repo, s.Kind, s.ID)
	if err != nil {
		return nil, false, err
	}
	if len(known) > 0 {
		old = &known[0]
	}
	if s.Name == "" {
		if old == nil {
			return nil, false, nil
		}
		s.App, s.Suite, s.Name = old.App, old.Suite, old.Name
	}
	changed = old == nil || !same(*old, *s)
	if old != nil && (!newerSignal(*old, *s) || !changed && s.Observed.Equal(old.Observed)) {
		return old, false, nil
	}
	_, err = sg.tx.exec(`INSERT INTO signals (repo, kind, id, sha, app, suite, name, state, url, started_at,
			ended_at, observed_at, recorded_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (repo, kind, id) DO UPDATE SET sha = $4, app = $5, suite = $6, name = $7, state = $8, url = $9,
			started_at = $10, ended_at = $11, observed_at = $12, recorded_at = $13`,
		s.Repo, s.Kind, s.ID, s.SHA, s.App, s.Suite, s.Name, s.State, s.URL, micros(s.Started), micros(s.Ended),
		micros(s.Observed), micros(sg.tx.Now))
	if err == nil && old == nil && s.Kind == promotion.KindCheck && s.Ended.IsZero() {
		err = sg.reopenSuite(*s)
	}
	return old, changed, err
}

// judgeBy has the stages decided again that a signal judges, or judged under the name that it had.
func (sg Signals) judgeBy(old, s *promotion.Signal) error {
	var stages []StageKey
	var err error
	if old != nil {
		stages, err = list(sg.tx, stageKeyDest, `SELECT DISTINCT w.pipeline, w.stage FROM evidence e
			JOIN ways w ON w.id = e.way
			WHERE e.repo = $1 AND e.kind = $2 AND e.id = $3`, s.Repo, s.Kind, s.ID)
		if err == nil && (old.SHA != s.SHA || old.Name != s.Name || old.App != s.App || old.Suite != s.Suite) {
			_, err = sg.tx.exec(`DELETE FROM evidence WHERE repo = $1 AND kind = $2 AND id = $3`, s.Repo, s.Kind,
				s.ID)
		}
		if err != nil {
			return err
		}
	}
	more, err := sg.tx.evidence.enlist(s)
	if err != nil {
		return err
	}
	return sg.tx.Stages.touchEach(append(stages, more...))
}

// settled reports whether a signal could change GitHub's mind about a merge: one that only runs could not.
func settled(s promotion.Signal) bool { return s.Kind != promotion.KindCheck || !s.Ended.IsZero() }

// storable is the signal as it comes back from the database.
func storable(s promotion.Signal) promotion.Signal {
	asStored(&s.Started, &s.Ended, &s.Observed)
	return s
}

// asStored makes times as they come back from the database.
func asStored(times ...*time.Time) {
	for _, t := range times {
		*t = t.UTC().Truncate(time.Microsecond)
	}
}

// newerSignal reports whether b may replace a: it was observed later, or at the same time and does not take an end
// back. A later deployment of another commit does not change the result of a deployment, whichever is heard first.
func newerSignal(a, b promotion.Signal) bool {
	switch {
	case replaced(b) && ended(a):
		return false
	case replaced(a) && ended(b):
		return true
	}
	if !a.Observed.Equal(b.Observed) {
		return b.Observed.After(a.Observed)
	}
	return a.Ended.IsZero() || !b.Ended.IsZero()
}

// replaced reports whether a deployment does not run any more.
func replaced(s promotion.Signal) bool {
	return s.Kind == promotion.KindDeployment && s.State == "inactive"
}

// ended reports whether a signal says how something has ended.
func ended(s promotion.Signal) bool { return !s.Ended.IsZero() && !replaced(s) }

// same reports whether two observations of a signal say the same.
func same(a, b promotion.Signal) bool {
	a.Observed, b.Observed = time.Time{}, time.Time{}
	return a == b
}
