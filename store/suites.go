package store

import (
	"fmt"

	"waybill/promotion"
)

const suiteColumns = `u.repo, u.id, u.sha, u.app, u.branch, u.completed, u.conclusion`

func suiteDest(s *promotion.Suite) []any {
	return []any{&s.Repo, &s.ID, &s.SHA, &s.App, &s.Branch, &s.Completed, &s.Conclusion}
}

// RecordSuite records an observation of a check suite. It concerns the stages that one of its runs may judge. A suite
// has no time of its own by which a late observation could be told from a new one: once completed it stays so, until a
// new run of it begins. It reports whether there was something new.
func (sg Signals) RecordSuite(s promotion.Suite) (changed bool, err error) {
	old, err := list(sg.tx, suiteDest, `SELECT `+suiteColumns+` FROM suites u WHERE u.repo = $1 AND u.id = $2`,
		s.Repo, s.ID)
	if err == nil && len(old) > 0 && (old[0] == s || old[0].Completed && !s.Completed) {
		return false, nil
	}
	if err == nil {
		_, err = sg.tx.exec(`INSERT INTO suites (repo, id, sha, app, branch, completed, conclusion, recorded_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (repo, id) DO UPDATE
				SET sha = $3, app = $4, branch = $5, completed = $6, conclusion = $7, recorded_at = $8`,
			s.Repo, s.ID, s.SHA, s.App, s.Branch, s.Completed, s.Conclusion, micros(sg.tx.Now))
	}
	if err == nil {
		err = sg.touchSuite(s.Repo, s.ID)
	}
	if err == nil && s.Completed {
		err = sg.tx.Pulls.BumpAt(s.Repo, s.SHA)
	}
	if err != nil {
		return false, fmt.Errorf("record suite %d of %s: %w", s.ID, s.SHA, err)
	}
	return true, nil
}

// reopenSuite notes that a suite that was completed runs again, because a new run of it has begun.
func (sg Signals) reopenSuite(begun promotion.Signal) error {
	n, err := sg.tx.exec(`UPDATE suites SET completed = FALSE, conclusion = '' WHERE repo = $1 AND id = $2
		AND completed`, begun.Repo, begun.Suite)
	if err != nil || n == 0 {
		return err
	}
	return sg.touchSuite(begun.Repo, begun.Suite)
}

// touchSuite has the stages decided again that a run of a suite may judge.
func (sg Signals) touchSuite(repo promotion.Repo, suite int64) error {
	judged, err := list(sg.tx, stageKeyDest, `SELECT DISTINCT w.pipeline, w.stage FROM signals s
			JOIN evidence e ON e.repo = s.repo AND e.kind = s.kind AND e.id = s.id JOIN ways w ON w.id = e.way
		WHERE s.repo = $1 AND s.suite = $2 AND s.suite <> 0`, repo, suite)
	if err != nil {
		return err
	}
	expecting, err := sg.tx.evidence.expecting(repo)
	if err != nil {
		return err
	}
	return sg.tx.Stages.touchEach(append(judged, expecting...))
}
