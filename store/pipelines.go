package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
)

// PipelineRow is a pipeline as it is stored: the texts of its files as they were read last.
type PipelineRow struct {
	ID           int64 // GitHub's id of the home repository, which renames do not change
	Repo         promotion.Repo
	Installation int64
	Branch       string        // the home repository's default branch
	Renamed      bool          // for Save: that is the branch of before under another name, not another branch
	ConfigSHA    promotion.SHA // the commit that the files were read at
	Config       []byte        // the last good pipeline file
	Policy       []byte        // the last good policy file; empty: none
	Found        []byte        // the paths that the globs of the pipeline file have found, as JSON; empty: it has none
	ConfigError  string        // the mistake in newer files, for people; empty: none

	ReadAt         time.Time     // when the files were read, by GitHub's clock, for Save; zero: now
	Created        time.Time     // when the pipeline was first stored, by GitHub's clock: earlier merges are no freight
	Head           promotion.SHA // of the branch, at the last complete resync
	ResyncEvery    time.Duration // clamped to 1m..168h; 0 is 10h
	Resynced       time.Time     // when the last complete resync began, by GitHub's clock; zero: never
	ResyncDue      time.Time
	ResyncFailures int // since the last complete one
	ResyncError    string
	Stale          time.Time // since when its facts may be older than GitHub's; zero: they are not
	Unswept        bool      // missed webhooks have not been looked for since the start
}

const (
	pipelineColumns = `p.id, p.repo, p.installation, p.branch, p.config_sha, p.config, p.policy, p.found,
		p.config_error, p.created_at, p.head_sha, p.resync_every, c.done_at, c.run_at,
		CASE c.token WHEN '' THEN c.attempts ELSE c.attempts - 1 END, c.error, p.stale_since,
		p.unswept`
	fromPipelines = ` FROM pipelines p JOIN clocks c ON c.name = 'resync' AND c.pipeline = p.id`
)

func (p *PipelineRow) dest() []any {
	return []any{&p.ID, &p.Repo, &p.Installation, &p.Branch, &p.ConfigSHA, &p.Config, &p.Policy, &p.Found, &p.ConfigError,
		at(&p.Created), &p.Head, secondsColumn{&p.ResyncEvery}, at(&p.Resynced), at(&p.ResyncDue), &p.ResyncFailures,
		&p.ResyncError, at(&p.Stale), &p.Unswept}
}

// ByID returns a pipeline.
func (ps Pipelines) ByID(id int64) (PipelineRow, error) {
	var p PipelineRow
	found, err := ps.tx.one(p.dest(), `SELECT `+pipelineColumns+fromPipelines+` WHERE p.id = $1`, id)
	return p, orNotFound(found, err, fmt.Sprintf("read pipeline %d", id))
}

// ByRepo returns the pipeline of a home repository.
func (ps Pipelines) ByRepo(repo promotion.Repo) (PipelineRow, error) {
	var p PipelineRow
	found, err := ps.tx.one(p.dest(), `SELECT `+pipelineColumns+fromPipelines+` WHERE p.repo = $1`, repo)
	return p, orNotFound(found, err, fmt.Sprintf("read pipeline of %s", repo))
}

// All returns all pipelines by repository.
func (ps Pipelines) All() ([]PipelineRow, error) {
	all, err := list(ps.tx, (*PipelineRow).dest, `SELECT `+pipelineColumns+fromPipelines+` ORDER BY p.repo`)
	if err != nil {
		return nil, fmt.Errorf("list pipelines: %w", err)
	}
	return all, nil
}

// After returns the pipelines whose repository comes after another in their order.
func (ps Pipelines) After(repo promotion.Repo, limit int) ([]PipelineRow, error) {
	all, err := list(ps.tx, (*PipelineRow).dest,
		`SELECT `+pipelineColumns+fromPipelines+` WHERE p.repo > $1 ORDER BY p.repo LIMIT $2 + 0`, repo, limit)
	if err != nil {
		return nil, fmt.Errorf("list pipelines: %w", err)
	}
	return all, nil
}

// PipelinesSince returns all pipelines if one of them was written since an earlier call, which returned seen, and what
// to pass next time. It returns none where only this process writes: it knows what it has written.
func (s *Store) PipelinesSince(ctx context.Context, seen int64) (all []PipelineRow, now int64, err error) {
	if s.db.Alone() {
		return nil, seen, nil
	}
	err = s.ViewOne(ctx, func(tx *Tx) error {
		_, err := tx.one([]any{&now}, `SELECT n FROM counters WHERE name = 'files'`)
		return err
	})
	if err == nil && now != seen {
		err = s.View(ctx, func(tx *Tx) (err error) {
			all, err = tx.Pipelines.All()
			return err
		})
	}
	return all, now, wrap("look for pipelines that were written", err)
}

// Save stores a pipeline's files together with their meaning: its stages, in their order. All stages have to be decided
// again when one of the files has changed. A stage that p does not have any more is kept as removed; with p nil all
// are. Nothing is written when nothing has changed. Of the columns about resyncs only ResyncEvery plays a part.
func (ps Pipelines) Save(row PipelineRow, p *promotion.Pipeline) error {
	row.ResyncEvery = clampResync(row.ResyncEvery)
	if row.ReadAt.IsZero() {
		row.ReadAt = ps.tx.Now
	}
	old, err := list(ps.tx, (*PipelineRow).dest, `SELECT `+pipelineColumns+fromPipelines+` WHERE p.id = $1`, row.ID)
	if err == nil && (len(old) == 0 || !old[0].sameRow(row)) {
		err = ps.write(row)
	}
	if err == nil && len(old) > 0 && old[0].ResyncEvery != row.ResyncEvery && old[0].ResyncFailures == 0 {
		_, err = ps.tx.exec(`UPDATE clocks SET run_at = $2 WHERE name = 'resync' AND pipeline = $1 AND token = ''`,
			row.ID, micros(row.nextResync(promotion.Later(old[0].Resynced, old[0].Created))))
	}
	if err == nil && len(old) > 0 && old[0].Repo != row.Repo {
		err = ps.rename(old[0].Repo, row.Repo)
	}
	if err == nil && len(old) > 0 {
		err = ps.rebranch(old[0], row)
	}
	if err == nil && len(old) > 0 {
		err = ps.moveWork(old[0], row)
	}
	if err == nil {
		err = ps.syncStages(row.ID, p)
	}
	if err == nil {
		err = ps.tx.evidence.syncMatchers(row.ID, p)
	}
	if err == nil {
		err = ps.tx.Warehouses.sync(row.ID, p, row.ReadAt)
	}
	if err == nil && len(old) > 0 && !old[0].SameFiles(row) {
		if err = ps.tx.Freight.place(row.ID, p); err == nil {
			err = ps.tx.Stages.touchAll(row.ID, "")
		}
	}
	if err == nil && len(old) > 0 {
		err = ps.tx.Audit.noteFiles(old[0], row)
	}
	if err != nil {
		return fmt.Errorf("save pipeline %s: %w", row.Repo, err)
	}
	return nil
}

// SameFiles reports whether both rows mean the same.
func (p PipelineRow) SameFiles(o PipelineRow) bool {
	return p.Branch == o.Branch && p.Repo == o.Repo && bytes.Equal(p.Config, o.Config) &&
		bytes.Equal(p.Policy, o.Policy) && bytes.Equal(p.Found, o.Found)
}

func (p PipelineRow) sameRow(o PipelineRow) bool {
	return p.SameFiles(o) && p.Installation == o.Installation && p.ConfigSHA == o.ConfigSHA &&
		p.ConfigError == o.ConfigError && p.ResyncEvery == o.ResyncEvery
}

func (ps Pipelines) write(row PipelineRow) error {
	_, err := ps.tx.exec(`INSERT INTO pipelines (id, repo, installation, branch, config_sha, config, policy, config_error,
		created_at, resync_every, found)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (id) DO UPDATE SET repo = $2, installation = $3, branch = $4, config_sha = $5, config = $6, policy = $7,
			config_error = $8, resync_every = $10, found = $11`,
		row.ID, row.Repo, row.Installation, row.Branch, row.ConfigSHA, notNil(row.Config), notNil(row.Policy),
		row.ConfigError, micros(row.ReadAt), int64(row.ResyncEvery.Seconds()), notNil(row.Found))
	if err == nil {
		_, err = ps.tx.take("files", 1)
	}
	if err == nil {
		_, err = ps.tx.exec(`INSERT INTO clocks (name, pipeline, account, repo, priority, run_at, attempts, token,
			leased_until, error)
			VALUES ('resync', $1, $2, '', 1, $3, 0, '', 0, '') ON CONFLICT (name, pipeline) DO UPDATE SET account = $2`,
			row.ID, accountOf(row.Installation), micros(ps.tx.Now))
	}
	return err
}

// moveWork moves a pipeline's rows in queues, with what they say, to another installation, or to another name.
func (ps Pipelines) moveWork(old, row PipelineRow) error {
	if old.Installation == row.Installation && old.Repo == row.Repo {
		return nil
	}
	_, err := ps.tx.exec(`UPDATE effects SET account = CASE account WHEN $4 THEN $2 ELSE account END, repo = $3
		WHERE pipeline = $1 AND run_at IS NOT NULL`,
		row.ID, accountOf(row.Installation), row.Repo, accountOf(old.Installation))
	if err != nil {
		return err
	}
	_, err = ps.tx.exec(`UPDATE views SET account = CASE account WHEN $4 THEN $4 ELSE $2 END, repo = $3,
			wanted = CASE token WHEN '' THEN REPLACE(wanted, $5, $6) ELSE wanted END, shown = REPLACE(shown, $5, $6)
		WHERE pipeline = $1`,
		row.ID, accountOf(row.Installation), row.Repo, AccountSlack, repoInText(old.Repo), repoInText(row.Repo))
	return err
}

// rename moves the facts of a repository to its new name. Some may be there under that name already, because webhooks
// told of them first: these are recorded once more, as later observations.
func (ps Pipelines) rename(from, to promotion.Repo) error {
	again, err := ps.takeOut(from, to)
	if err == nil {
		err = ps.moveFacts(from, to)
	}
	if err == nil {
		err = ps.moveViews(from, to)
	}
	if err == nil {
		err = again()
	}
	return err
}

// ofPulls begin the surfaces of the views that are named after a pull request: "comment:acme/api#142".
var ofPulls = []string{"attention:", "body:", "comment:", "labels:"}

// moveViews names what is shown on the pull requests of a repository after its new name, there and in its text, so that
// it is not shown a second time. What has the new name already is of another repository that had it before, or is known
// from webhooks that told of it first: then the same is on GitHub.
func (ps Pipelines) moveViews(from, to promotion.Repo) error {
	if err := ps.tx.Views.flush(); err != nil {
		return err
	}
	clear(ps.tx.known)
	for _, of := range ofPulls {
		was, is := of+string(from)+"#", of+string(to)+"#"
		end := of + string(from) + "$" // the byte behind a number sign
		_, err := ps.tx.exec(`DELETE FROM views WHERE surface IN (SELECT $3 || SUBSTR(o.surface, LENGTH($1) + 1)
			FROM views o WHERE o.surface > $1 AND o.surface < $2)`, was, end, is)
		if err == nil { // people's texts are there, too, but no quotation mark in them is without a backslash
			_, err = ps.tx.exec(`UPDATE views SET surface = $3 || SUBSTR(surface, LENGTH($1) + 1),
				wanted = REPLACE(wanted, $4, $5), shown = REPLACE(shown, $4, $5) WHERE surface > $1 AND surface < $2`,
				was, end, is, repoInText(from), repoInText(to))
		}
		if err != nil {
			return fmt.Errorf("rename views of %s to %s: %w", from, to, err)
		}
	}
	return nil
}

// repoInText is how the text of a view names the repository that it is shown in.
func repoInText(repo promotion.Repo) string { return fmt.Sprintf(`"Repo":"%s"`, repo) }

// takeOut removes the facts that are there under both names from under the new one, and returns how to record them
// again. Ids of signals and suites are unique on all of GitHub. The number of a pull request is not: one from another
// branch is of another repository that had the name before.
func (ps Pipelines) takeOut(from, to promotion.Repo) (again func() error, err error) {
	pulls, err := list(ps.tx, pullDest, `SELECT `+pullColumns+` FROM pulls WHERE repo = $2
		AND number IN (SELECT number FROM pulls WHERE repo = $1)`, from, to)
	if err != nil {
		return nil, fmt.Errorf("list pull requests of %s: %w", to, err)
	}
	signals, err := list(ps.tx, signalDest, `SELECT `+signalColumns+` FROM signals s
		JOIN signals o ON o.kind = s.kind AND o.id = s.id AND o.repo = $1 WHERE s.repo = $2`, from, to)
	if err != nil {
		return nil, fmt.Errorf("list signals of %s: %w", to, err)
	}
	suites, err := list(ps.tx, suiteDest, `SELECT `+suiteColumns+` FROM suites u
		JOIN suites o ON o.id = u.id AND o.repo = $1 WHERE u.repo = $2`, from, to)
	if err != nil {
		return nil, fmt.Errorf("list suites of %s: %w", to, err)
	}
	for _, query := range []string{
		`DELETE FROM pulls WHERE repo = $2 AND number IN (SELECT number FROM pulls WHERE repo = $1)`,
		`DELETE FROM signals WHERE repo = $2 AND EXISTS (SELECT 1 FROM signals o WHERE o.repo = $1
			AND o.kind = signals.kind AND o.id = signals.id)`,
		`DELETE FROM suites WHERE repo = $2 AND id IN (SELECT id FROM suites WHERE repo = $1)`,
	} {
		if _, err := ps.tx.exec(query, from, to); err != nil {
			return nil, fmt.Errorf("take out what is known of %s: %w", to, err)
		}
	}
	return func() error {
		for _, p := range pulls {
			known, err := ps.tx.Pulls.ByNumber(to, p.Number)
			if err == nil && known.Head == p.Head {
				_, err = ps.tx.Pulls.Record(p)
			}
			if err != nil {
				return err
			}
		}
		for _, s := range signals {
			if _, err := ps.tx.Signals.Record(s); err != nil {
				return err
			}
		}
		for _, s := range suites {
			if _, err := ps.tx.Signals.RecordSuite(s); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// moveFacts moves the facts of a repository to another name.
func (ps Pipelines) moveFacts(from, to promotion.Repo) error {
	for _, query := range []string{
		`UPDATE freight SET repo = $2 WHERE repo = $1`,
		`INSERT INTO warehouses (pipeline, name, kind, repo, since_at, reached)
			SELECT pipeline, name, kind, $2, since_at, reached FROM warehouses WHERE repo = $1 ON CONFLICT DO NOTHING`,
		`UPDATE signals SET repo = $2 WHERE repo = $1`,
		`UPDATE suites SET repo = $2 WHERE repo = $1`,
		`UPDATE ways SET chain = chain + (SELECT COALESCE(MAX(o.chain), 0) FROM pushes o WHERE o.repo = $2) WHERE repo = $1
			AND chain > 0`,
		`UPDATE ways SET repo = $2 WHERE repo = $1`,
		`UPDATE pushes SET repo = $2, chain = chain + (SELECT COALESCE(MAX(o.chain), 0) FROM pushes o WHERE o.repo = $2)
			WHERE repo = $1`,
		`UPDATE evidence SET repo = $2 WHERE repo = $1`,
		`UPDATE matchers SET repo = $2 WHERE repo = $1`,
		`UPDATE stage_files SET repo = $2 WHERE repo = $1`,
		`UPDATE pulls SET repo = $2 WHERE repo = $1`,
		`UPDATE attempts SET repo = $2 WHERE repo = $1`,
		`UPDATE steps SET repo = $2 WHERE repo = $1`,
		`UPDATE stage_branches SET repo = $2 WHERE repo = $1 AND NOT EXISTS (SELECT 1 FROM stage_branches o
			WHERE o.pipeline = stage_branches.pipeline AND o.stage = stage_branches.stage AND o.repo = $2
			AND o.branch = stage_branches.branch)`,
		`UPDATE readings SET repo = $2 WHERE repo = $1 AND NOT EXISTS (SELECT 1 FROM readings o
			WHERE o.pipeline = readings.pipeline AND o.stage = readings.stage AND o.repo = $2 AND o.branch = readings.branch)`,
	} {
		if _, err := ps.tx.exec(query, from, to); err != nil {
			return fmt.Errorf("rename %s to %s: %w", from, to, err)
		}
	}
	return ps.tx.Stages.touch(`SELECT pipeline, name FROM stages`) // of other pipelines, too
}

// rebranch moves a pipeline's work to the new name of the default branch, and turns open pull requests to it, as GitHub
// does, and those that were merged before, as GitHub does not: what they brought is there. What was begun on a branch
// that is only the default branch no more stays there.
func (ps Pipelines) rebranch(old, row PipelineRow) error {
	if old.Branch == row.Branch || !row.Renamed {
		return nil
	}
	for _, table := range []string{"attempts", "steps"} {
		_, err := ps.tx.exec(`UPDATE `+table+` SET base = $4 WHERE pipeline = $1 AND repo = $2 AND base = $3`, row.ID,
			row.Repo, old.Branch, row.Branch)
		if err != nil {
			return err
		}
	}
	_, err := ps.tx.exec(`UPDATE pulls SET base = $3, base_was = $2 WHERE repo = $1 AND base = $2 AND state <> 'closed'`,
		row.Repo, old.Branch, row.Branch)
	return err
}

// syncStages brings the rows of a pipeline's stages in line with its file.
func (ps Pipelines) syncStages(pipeline int64, p *promotion.Pipeline) error {
	var stages []*promotion.Stage
	if p != nil {
		stages = p.Stages
	}
	rows, err := ps.tx.Stages.Of(pipeline)
	if err != nil {
		return err
	}
	gone := map[promotion.StageName]StageRow{}
	for _, r := range rows {
		gone[r.Key.Stage] = r
	}
	for i, s := range stages {
		old, known := gone[s.Name]
		delete(gone, s.Name)
		if !known || old.Position != i || !old.Removed.IsZero() {
			if err := ps.writeStage(pipeline, s.Name, i); err != nil {
				return err
			}
		}
		if err := ps.syncBranches(StageKey{pipeline, s.Name}, p.BranchesOf(s)); err != nil {
			return err
		}
		if err := ps.syncSources(pipeline, s); err != nil {
			return err
		}
	}
	for name, r := range gone {
		if r.Removed.IsZero() {
			if err := ps.removeStage(r.Key); err != nil {
				return fmt.Errorf("remove stage %s: %w", name, err)
			}
		}
	}
	return nil
}

func (ps Pipelines) writeStage(pipeline int64, name promotion.StageName, position int) error {
	_, err := ps.tx.exec(
		`INSERT INTO stages (pipeline, name, position, version, decided, not_before, fence) VALUES ($1, $2, $3, 1, 0, 0, 0)
		ON CONFLICT (pipeline, name) DO UPDATE SET position = $3, version = stages.version + 1, removed_at = NULL`,
		pipeline, name, position,
	)
	return err
}

// syncBranches notes which branches hold files of a stage. Readings of one that holds none any more are forgotten.
func (ps Pipelines) syncBranches(key StageKey, now []promotion.Branch) error {
	before, err := ps.tx.Stages.branchesOf(key)
	if err != nil || len(before) == len(now) &&
		!slices.ContainsFunc(now, func(b promotion.Branch) bool { return !slices.Contains(before, b) }) {
		return err
	}
	for _, table := range []string{"readings", "stage_branches"} {
		for _, b := range before {
			if slices.Contains(now, b) {
				continue
			}
			_, err = ps.tx.exec(`DELETE FROM `+table+` WHERE pipeline = $1 AND stage = $2 AND repo = $3 AND branch = $4`,
				key.Pipeline, key.Stage, b.Repo, b.Name)
			if err != nil {
				return err
			}
		}
	}
	for _, b := range now {
		_, err = ps.tx.exec(`INSERT INTO stage_branches (pipeline, stage, repo, branch) VALUES ($1, $2, $3, $4)
			ON CONFLICT DO NOTHING`, key.Pipeline, key.Stage, b.Repo, b.Name)
		if err != nil {
			return err
		}
	}
	return ps.tx.Stages.Touch(key)
}

func (ps Pipelines) removeStage(key StageKey) error {
	if _, err := ps.tx.exec(
		`DELETE FROM sources WHERE pipeline = $1 AND stage = $2`, key.Pipeline, key.Stage,
	); err != nil {
		return err
	}
	if err := ps.tx.evidence.endAllWays(key); err != nil {
		return err
	}
	_, err := ps.tx.exec(`UPDATE stages SET removed_at = $3, version = version + 1 WHERE pipeline = $1 AND name = $2`,
		key.Pipeline, key.Stage, micros(ps.tx.Now))
	return err
}

// syncSources notes which warehouses a stage takes from, so that their freight concerns it.
func (ps Pipelines) syncSources(pipeline int64, s *promotion.Stage) error {
	have, err := list(ps.tx, single[promotion.WarehouseName],
		`SELECT warehouse FROM sources WHERE pipeline = $1 AND stage = $2`, pipeline, s.Name)
	if err != nil {
		return err
	}
	gone := map[promotion.WarehouseName]bool{}
	for _, w := range have {
		gone[w] = true
	}
	for _, source := range s.From {
		if gone[source.Warehouse] {
			delete(gone, source.Warehouse)
			continue
		}
		_, err := ps.tx.exec(`INSERT INTO sources (pipeline, stage, warehouse)
			VALUES ($1, $2, $3)`, pipeline, s.Name, source.Warehouse)
		if err != nil {
			return err
		}
	}
	for w := range gone {
		if _, err := ps.tx.exec(
			`DELETE FROM sources WHERE pipeline = $1 AND stage = $2 AND warehouse = $3`, pipeline, s.Name, w,
		); err != nil {
			return err
		}
	}
	return nil
}
