package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

const signalColumns = `repo, kind, id, sha, app, suite, name, state, url, started_at, ended_at, observed_at`

func signalDest(s *promotion.Signal) []any {
	return []any{&s.Repo, &s.Kind, &s.ID, &s.SHA, &s.App, &s.Suite, &s.Name, &s.State, &s.URL,
		at(&s.Started), at(&s.Ended), at(&s.Observed)}
}

// RecordSignal records what GitHub says of a check, a status or a deployment. It concerns the stages that host what its
// commit brought, and those whose open pull request it is the head of. A signal of a commit that nobody knows is kept
// and concerns no stage: when the commit becomes known the signal is there. An older observation never replaces a newer
// one. It reports whether there was something new.
func (fs Facts) RecordSignal(s promotion.Signal) (changed bool, err error) {
	changed, err = fs.saveSignal(s)
	if err == nil && changed {
		err = fs.touchWatchers(s.Repo, s.SHA)
	}
	if err == nil && changed && settled(s) {
		err = fs.BumpPullsAt(s.Repo, s.SHA)
	}
	if err != nil {
		return false, fmt.Errorf("record %s %s of %s: %w", s.Kind, s.Name, s.SHA, err)
	}
	return changed, nil
}

func (fs Facts) saveSignal(s promotion.Signal) (changed bool, err error) {
	s = storable(s)
	old, err := list(fs.tx, signalDest, `SELECT `+signalColumns+` FROM signals WHERE repo = $1 AND kind = $2 AND id = $3`, s.Repo, s.Kind, s.ID)
	if err != nil {
		return false, err
	}
	changed = len(old) == 0 || !same(old[0], s)
	if len(old) > 0 && (!newerSignal(old[0], s) || !changed && s.Observed.Equal(old[0].Observed)) {
		return false, nil
	}
	_, err = fs.tx.exec(`INSERT INTO signals (repo, kind, id, sha, app, suite, name, state, url, started_at, ended_at, observed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (repo, kind, id) DO UPDATE SET sha = $4, app = $5, suite = $6, name = $7, state = $8, url = $9,
			started_at = $10, ended_at = $11, observed_at = $12`,
		s.Repo, s.Kind, s.ID, s.SHA, s.App, s.Suite, s.Name, s.State, s.URL, micros(s.Started), micros(s.Ended), micros(s.Observed))
	if err == nil && len(old) == 0 && s.Kind == promotion.KindCheck && s.Ended.IsZero() {
		err = fs.reopenSuite(s)
	}
	return changed, err
}

// settled reports whether a signal could change GitHub's mind about a merge: one that only runs could not.
func settled(s promotion.Signal) bool { return s.Kind != promotion.KindCheck || !s.Ended.IsZero() }

// storable is the signal as it comes back from the database.
func storable(s promotion.Signal) promotion.Signal {
	for _, t := range []*time.Time{&s.Started, &s.Ended, &s.Observed} {
		*t = t.UTC().Truncate(time.Microsecond)
	}
	return s
}

// newerSignal reports whether b may replace a: it was observed later, or at the same time and does not take an end back. That
// something else has been deployed since says nothing about what had become of a deployment, whichever is heard first.
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

// replaced reports whether a deployment is not what runs any more.
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

// pushLag is how much later than the merge the push that it made may have happened, or earlier, by GitHub's own clocks.
const pushLag = 5 * time.Minute

// touchWatchers has the stages decided again that a signal on a commit may judge: those that host what the commit
// brought, and those that hosted something when it became the head of their branch.
func (fs Facts) touchWatchers(repo promotion.Repo, sha promotion.SHA) error {
	return fs.tx.Ledger.touch(`SELECT y.pipeline, y.stage FROM stays y JOIN stage_branches s ON s.pipeline = y.pipeline AND s.stage = y.stage
			WHERE y.commit_sha = $2 AND y.left_at IS NULL AND s.repo = $1
		UNION SELECT y.pipeline, y.stage FROM pushes u
			JOIN stage_branches s ON s.repo = u.repo AND s.branch = u.branch
			JOIN stays y ON y.pipeline = s.pipeline AND y.stage = s.stage AND y.left_at IS NULL AND y.entered_at <= u.pushed_at + $3
			WHERE u.repo = $1 AND u.after_sha = $2`, repo, sha, pushLag.Microseconds())
}
