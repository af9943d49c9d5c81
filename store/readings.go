package store

import (
	"fmt"
	"slices"

	"waybill/promotion"
)

// Record records the values in the files of a stage at a head of a branch that holds some. A reading that is known to
// be older than the newest push, or than the hosted freight, changes nothing.
func (rd Readings) Record(key StageKey, r promotion.Reading) error {
	newest, err := rd.newest(key, &r)
	if err == nil && newest {
		err = rd.save(key, r)
	}
	if err != nil {
		return fmt.Errorf("record what the files of %s say at %s: %w", key.Stage, r.Commit, err)
	}
	return nil
}

func (rd Readings) save(key StageKey, r promotion.Reading) error {
	n, err := rd.tx.exec(`INSERT INTO readings (pipeline, stage, repo, branch, commit_sha, read_sha, actor_id, actor,
			texts)
		VALUES ($1, $2, $7, $8, $3, $3, $4, $5, $6)
		ON CONFLICT (pipeline, stage, repo, branch) DO UPDATE SET commit_sha = $3, read_sha = $3, actor_id = $4,
			actor = $5, texts = $6
		WHERE readings.read_sha <> $3 OR readings.texts <> $6`,
		key.Pipeline, key.Stage, r.Commit, r.By.ID, r.By.Login, asValues(&r.Values), r.On.Repo, r.On.Name)
	if err != nil || n == 0 {
		return err
	}
	return rd.tx.Stages.Touch(key)
}

// Decisions see the commit at which files were read: the one to which pushes have taken that along is no ground for
// them.
const readingColumns = `repo, branch, read_sha, actor_id, actor, texts`

func readingDest(r *promotion.Reading) []any {
	return []any{&r.On.Repo, &r.On.Name, &r.Commit, &r.By.ID, &r.By.Login, asValues(&r.Values)}
}

// newest reports whether no push is known that replaced a commit, and none that hides whether the commit contains the
// hosted freight: GitHub may answer from a replica that is behind.
func (rd Readings) newest(key StageKey, r *promotion.Reading) (bool, error) {
	var after promotion.SHA
	known, err := rd.tx.one([]any{&after}, `SELECT after_sha FROM (
			SELECT after_sha, seq FROM pushes WHERE repo = $1 AND branch = $2 AND before_sha = $3
			UNION ALL SELECT after_sha, seq FROM pushes WHERE repo = $1 AND branch = $2 AND after_sha = $3) AS known
		ORDER BY seq DESC LIMIT 1`, r.On.Repo, r.On.Name, r.Commit)
	if err != nil || known && after != r.Commit {
		return false, err
	}
	hiding, err := list(rd.tx, deploymentDest, `SELECT `+deploymentColumns+` FROM deployments
		WHERE pipeline = $1 AND stage = $2 AND left_at IS NULL AND commit_sha <> $3 AND entered_at > $4
			AND NOT EXISTS (SELECT 1 FROM pushes u WHERE u.repo = $5 AND u.branch = $6 AND u.before_sha = commit_sha)`,
		key.Pipeline, key.Stage, r.Commit, micros(rd.tx.Now.Add(-replicaLag)), r.On.Repo, r.On.Name)
	for i := range hiding {
		steps, err := rd.tx.Attempts.stepsOf(key.Pipeline, hiding[i].Promotion)
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

// move takes a push into account: a reading of files that it left alone is true of the new head as well, and one of
// files that it touched is outdated. Pushes that were heard of before their turn follow.
func (rd Readings) move(p promotion.Push) error {
	for range maxMoves {
		moved, err := rd.moveBy(p)
		if err != nil || !moved {
			return err
		}
		next, err := list(rd.tx, pushDest, `SELECT `+pushColumns+` FROM pushes WHERE repo = $1 AND branch = $2
			AND before_sha = $3
			ORDER BY seq DESC LIMIT 1`, p.Repo, p.Branch, p.After)
		if err != nil || len(next) == 0 {
			return err
		}
		p = next[0]
	}
	return nil
}

// moveBy moves the readings of a head along with one push, and reports whether there are any.
func (rd Readings) moveBy(p promotion.Push) (some bool, err error) {
	type reading struct {
		key    StageKey
		values []promotion.Value
	}
	all, err := list(rd.tx, func(r *reading) []any { return append(stageKeyDest(&r.key), asValues(&r.values)) },
		`SELECT pipeline, stage, texts FROM readings WHERE commit_sha = $3 AND repo = $1 AND branch = $2`,
		p.Repo, p.Branch, p.Before)
	for _, r := range all {
		if err != nil || !touches(p.Paths, r.values) {
			continue
		}
		if err = rd.forget(r.key, p.On()); err == nil {
			err = rd.tx.Stages.Touch(r.key)
		}
	}
	if err == nil && len(all) > 0 {
		_, err = rd.tx.exec(`UPDATE readings SET commit_sha = $4 WHERE commit_sha = $3 AND repo = $1 AND branch = $2`,
			p.Repo, p.Branch, p.Before, p.After)
	}
	return len(all) > 0, err
}

// touches reports whether one of the paths concerns one of the values.
func touches(paths []string, values []promotion.Value) bool {
	return slices.ContainsFunc(values, func(v promotion.Value) bool { return slices.ContainsFunc(paths, v.Concerns) })
}

func (rd Readings) forget(key StageKey, on promotion.Branch) error {
	_, err := rd.tx.exec(`DELETE FROM readings WHERE pipeline = $1 AND stage = $2 AND repo = $3 AND branch = $4`,
		key.Pipeline, key.Stage, on.Repo, on.Name)
	return err
}

// outdate forgets the reading of a stage's files from before the latest commit of a deployment. A reading at a commit
// that is known to have followed stays.
func (rd Readings) outdate(key StageKey, s *promotion.Deployment) error {
	steps, err := rd.tx.Attempts.stepsOf(key.Pipeline, s.Promotion)
	if err != nil {
		return err
	}
	on := lastBranch(s, steps)
	commit, err := rd.readAt(key, on)
	if err != nil || commit == "" || commit == s.Commit {
		return err
	}
	followed, err := rd.tx.one([]any{new(int64)}, `WITH RECURSIVE way (sha, n) AS (SELECT u.after_sha, 1
		FROM pushes u WHERE u.repo = $1 AND u.branch = $5 AND u.before_sha = $2 UNION SELECT u.after_sha, n + 1
		FROM way CROSS JOIN pushes u WHERE u.repo = $1 AND u.branch = $5 AND u.before_sha = way.sha AND n < $4)
		SELECT n FROM way WHERE sha = $3 LIMIT 1`, on.Repo, s.Commit, commit, maxMoves, on.Name)
	if err != nil || followed {
		return err
	}
	return rd.forget(key, on)
}

// readAt returns the newest head of which a reading is known to be true; empty if the files have not been read.
func (rd Readings) readAt(key StageKey, on promotion.Branch) (commit promotion.SHA, err error) {
	_, err = rd.tx.one([]any{&commit},
		`SELECT commit_sha FROM readings WHERE pipeline = $1 AND stage = $2 AND repo = $3 AND branch = $4`,
		key.Pipeline, key.Stage, on.Repo, on.Name)
	return commit, err
}

// Unread is a stage whose files on a branch have not been read at some head of it.
type Unread struct {
	Stage promotion.StageName
	Waits bool // a promotion to it waits for a file that was missing, or could not be changed: other problems end it
}

// Unread returns the stages of a pipeline that have files on a branch which have not been read at that head of it:
// those that host something, and those in which a promotion waits for a file.
func (rd Readings) Unread(pipeline int64, on promotion.Branch, head promotion.SHA) ([]Unread, error) {
	all, err := list(rd.tx, func(u *Unread) []any { return []any{&u.Stage, &u.Waits} },
		`SELECT stage, waits FROM (SELECT s.stage, EXISTS (SELECT 1 FROM promotions p
				JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
				WHERE p.pipeline = s.pipeline AND p.stage = s.stage AND p.ended_at IS NULL AND p.state = 'queued'
					AND a.repo = s.repo AND a.base = s.branch AND a.plan_problem <> '') AS waits,
				EXISTS (SELECT 1 FROM deployments y
					WHERE y.pipeline = s.pipeline AND y.stage = s.stage AND y.left_at IS NULL) AS hosts
			FROM stage_branches s WHERE s.pipeline = $1 AND s.repo = $3 AND s.branch = $4
				AND NOT EXISTS (SELECT 1 FROM readings r WHERE r.pipeline = s.pipeline AND r.stage = s.stage
					AND r.repo = s.repo AND r.branch = s.branch AND r.commit_sha = $2)) AS unread
		WHERE waits OR hosts ORDER BY stage`, pipeline, head, on.Repo, on.Name)
	if err != nil {
		return nil, fmt.Errorf("list the stages whose files have not been read: %w", err)
	}
	return all, nil
}
