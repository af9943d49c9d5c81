package store

import (
	"fmt"
	"slices"

	"waybill/promotion"
)

// RecordReading records the values in the files of a stage at a head of a branch that holds some. A reading that is
// known to be older than the newest push, or than the hosted freight, changes nothing.
func (fs Facts) RecordReading(key StageKey, r promotion.Reading) error {
	newest, err := fs.newest(key, &r)
	if err == nil && newest {
		err = fs.saveReading(key, r)
	}
	if err != nil {
		return fmt.Errorf("record what the files of %s say at %s: %w", key.Stage, r.Commit, err)
	}
	return nil
}

func (fs Facts) saveReading(key StageKey, r promotion.Reading) error {
	n, err := fs.tx.exec(`INSERT INTO readings (pipeline, stage, repo, branch, commit_sha, actor_id, actor, texts)
		VALUES ($1, $2, $7, $8, $3, $4, $5, $6)
		ON CONFLICT (pipeline, stage, repo, branch) DO UPDATE SET commit_sha = $3, actor_id = $4, actor = $5, texts = $6
		WHERE readings.commit_sha <> $3 OR readings.texts <> $6`,
		key.Pipeline, key.Stage, r.Commit, r.By.ID, r.By.Login, asValues(&r.Values), r.On.Repo, r.On.Name)
	if err != nil || n == 0 {
		return err
	}
	return fs.tx.Ledger.Touch(key)
}

const readingColumns = `repo, branch, commit_sha, actor_id, actor, texts`

func readingDest(r *promotion.Reading) []any {
	return []any{&r.On.Repo, &r.On.Name, &r.Commit, &r.By.ID, &r.By.Login, asValues(&r.Values)}
}

// reading returns the values in the files of a stage on a branch, or nil if they are not known.
func (fs Facts) reading(key StageKey, on promotion.Branch) (*promotion.Reading, error) {
	var r promotion.Reading
	found, err := fs.tx.one(readingDest(&r),
		`SELECT `+readingColumns+` FROM readings WHERE pipeline = $1 AND stage = $2 AND repo = $3 AND branch = $4`,
		key.Pipeline, key.Stage, on.Repo, on.Name)
	if err != nil || !found {
		return nil, err
	}
	return &r, nil
}

// newest reports whether no push is known that replaced a commit, and none that hides whether the commit contains the
// hosted freight: GitHub may answer from a replica that is behind.
func (fs Facts) newest(key StageKey, r *promotion.Reading) (bool, error) {
	var after promotion.SHA
	known, err := fs.tx.one([]any{&after}, `SELECT after_sha FROM (
			SELECT after_sha, seq FROM pushes WHERE repo = $1 AND branch = $2 AND before_sha = $3
			UNION ALL SELECT after_sha, seq FROM pushes WHERE repo = $1 AND branch = $2 AND after_sha = $3) AS known
		ORDER BY seq DESC LIMIT 1`, r.On.Repo, r.On.Name, r.Commit)
	if err != nil || known && after != r.Commit {
		return false, err
	}
	hiding, err := list(fs.tx, deploymentDest, `SELECT `+deploymentColumns+` FROM deployments
		WHERE pipeline = $1 AND stage = $2 AND left_at IS NULL AND commit_sha <> $3 AND entered_at > $4
			AND NOT EXISTS (SELECT 1 FROM pushes u WHERE u.repo = $5 AND u.branch = $6 AND u.before_sha = commit_sha)`,
		key.Pipeline, key.Stage, r.Commit, micros(fs.tx.Now.Add(-replicaLag)), r.On.Repo, r.On.Name)
	for i := range hiding {
		steps, err := fs.tx.Ledger.stepsOf(key.Pipeline, hiding[i].Promotion)
		if err != nil || lastBranch(&hiding[i], steps) == r.On {
			return false, err
		}
	}
	return err == nil, err
}

// replicaLag is how long after a merge even the slowest of GitHub's replicas shows it.
const replicaLag = pushLag

// maxMoves bounds how far readings are moved along at once.
const maxMoves = 100

// moveReadings takes a push into account: a reading of files that it left alone is true of the new head as well, and
// one of files that it touched is outdated. Pushes that were heard of before their turn follow.
func (fs Facts) moveReadings(p promotion.Push) error {
	for range maxMoves {
		keys, err := list(fs.tx, stageKeyDest, `SELECT pipeline, stage FROM readings WHERE commit_sha = $3 AND repo = $1
			AND branch = $2`, p.Repo, p.Branch, p.Before)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, key := range keys {
			if err := fs.moveReading(key, p); err != nil {
				return err
			}
		}
		next, err := list(fs.tx, pushDest, `SELECT `+pushColumns+` FROM pushes WHERE repo = $1 AND branch = $2
			AND before_sha = $3
			ORDER BY seq DESC LIMIT 1`, p.Repo, p.Branch, p.After)
		if err != nil || len(next) == 0 {
			return err
		}
		p = next[0]
	}
	return nil
}

func (fs Facts) moveReading(key StageKey, p promotion.Push) error {
	r, err := fs.reading(key, p.On())
	if err != nil {
		return err
	}
	if slices.ContainsFunc(r.Values, func(v promotion.Value) bool { return slices.ContainsFunc(p.Paths, v.Concerns) }) {
		return fs.forgetReading(key, p.On())
	}
	_, err = fs.tx.exec(`UPDATE readings SET commit_sha = $3 WHERE pipeline = $1 AND stage = $2 AND repo = $4
		AND branch = $5`,
		key.Pipeline, key.Stage, p.After, p.Repo, p.Branch)
	return err
}

func (fs Facts) forgetReading(key StageKey, on promotion.Branch) error {
	_, err := fs.tx.exec(`DELETE FROM readings WHERE pipeline = $1 AND stage = $2 AND repo = $3 AND branch = $4`,
		key.Pipeline, key.Stage, on.Repo, on.Name)
	return err
}

// outdateReading forgets the reading of a stage's files from before the latest commit of a deployment. A reading at a
// commit that is known to have followed stays.
func (fs Facts) outdateReading(key StageKey, s *promotion.Deployment) error {
	steps, err := fs.tx.Ledger.stepsOf(key.Pipeline, s.Promotion)
	if err != nil {
		return err
	}
	on := lastBranch(s, steps)
	r, err := fs.reading(key, on)
	if err != nil || r == nil {
		return err
	}
	followed, err := fs.tx.one([]any{new(int64)}, `WITH RECURSIVE way (sha, n) AS (SELECT $2, 0 UNION SELECT u.after_sha,
		n + 1 FROM way CROSS JOIN pushes u WHERE u.repo = $1 AND u.branch = $5 AND u.before_sha = way.sha AND n < $4)
		SELECT n FROM way WHERE sha = $3 LIMIT 1`, on.Repo, s.Commit, r.Commit, maxMoves, on.Name)
	if err != nil || followed {
		return err
	}
	return fs.forgetReading(key, on)
}

// Unread returns the stages of a pipeline that host something, have files on a branch and whose files there have not
// been read at that head of it.
func (fs Facts) Unread(pipeline int64, on promotion.Branch, head promotion.SHA) ([]promotion.StageName, error) {
	names, err := list(fs.tx, single[promotion.StageName], `SELECT DISTINCT y.stage FROM deployments y
			JOIN stage_branches s ON s.pipeline = y.pipeline AND s.stage = y.stage AND s.repo = $3 AND s.branch = $4
			LEFT JOIN readings r ON r.pipeline = y.pipeline AND r.stage = y.stage AND r.repo = s.repo AND r.branch = s.branch
			AND r.commit_sha = $2
		WHERE y.pipeline = $1 AND y.left_at IS NULL AND r.stage IS NULL ORDER BY y.stage`, pipeline, head, on.Repo, on.Name)
	if err != nil {
		return nil, fmt.Errorf("list the stages whose files have not been read: %w", err)
	}
	return names, nil
}
