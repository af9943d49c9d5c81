package store

import (
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
)

// The bounds of the time between two resyncs of a pipeline, and its default.
const (
	resyncAtLeast = time.Minute
	resyncAtMost  = 168 * time.Hour
	resyncUsually = 10 * time.Hour
)

func clampResync(every time.Duration) time.Duration {
	if every == 0 {
		every = resyncUsually
	}
	return min(max(every, resyncAtLeast), resyncAtMost).Truncate(time.Second)
}

// Resynced notes that the resync of a pipeline is complete: when it began, and where the branch was. It began at a time
// by GitHub's clock: the next one looks for what has happened at GitHub since. That is due before the pipeline's
// interval is over, by our clock, also when the process is restarted in between.
func (cs Clocks) Resynced(c *Clock, head promotion.SHA, began time.Time) error {
	row, err := cs.tx.Pipelines.ByID(c.Pipeline)
	if err == nil {
		_, err = cs.tx.exec(`UPDATE pipelines SET head_sha = $2 WHERE id = $1`, c.Pipeline, head)
	}
	if err == nil {
		err = cs.ClockDone(c, began, row.nextResync(cs.tx.Now))
	}
	return wrap("note a resync", err)
}

// nextResync is when a resync is due after one that began at a time: between nine tenths of the interval and a
// twentieth before its end, which leaves time to carry it out. Each pipeline has a place of its own in there, so that
// those that were stored together drift apart.
func (p PipelineRow) nextResync(after time.Time) time.Time {
	const places = 64
	every := clampResync(p.ResyncEvery)
	early := every/20 + every/20*time.Duration(uint64(p.ID)%places)/places
	return after.Add(every - early)
}

// AskResync makes a pipeline's resync due now, or once more after one that is under way.
func (cs Clocks) AskResync(pipeline int64) error { return cs.ask(ClockResync, pipeline) }

// AskResyncs makes a pipeline's resync due now, and once more after a while, in which GitHub comes to show everything
// that it has taken by now. No webhook will tell of what the first resync misses.
func (cs Clocks) AskResyncs(pipeline int64, after time.Duration) error {
	return cs.tx.mustChange("ask for two resyncs", `UPDATE clocks SET priority = 0,
		run_at = CASE token WHEN '' THEN $3 ELSE run_at END, again_at = $4 WHERE name = $1 AND pipeline = $2`,
		ClockResync, pipeline, micros(cs.tx.Now), micros(cs.tx.Now.Add(after)))
}

// Outlook has the bounds of a resync of a pipeline.
type Outlook struct {
	ResyncedAt time.Time      // when the last complete resync began, or else when the pipeline was first stored
	Since      time.Time      // merges before the pipeline was first stored are no freight
	OpenPulls  []OpenPull     // and those that a person has closed lately and may open again
	Files      []FilesOutlook // the branches that hold files of stages, the one that the pipeline lives on first

	has map[freightKey]bool // known freight among the merges since ResyncedAt
}

// OpenPull is a pull request of ours that was open when we last heard of it, or whose end is not decided on.
type OpenPull struct {
	Repo   promotion.Repo
	Number int
}

// FilesOutlook has the bounds of a resync in one branch.
type FilesOutlook struct {
	promotion.Branch
	Commits []promotion.SHA // the commits whose signals may judge something, those that were hosted first first
	Reached promotion.SHA   // how far the known pushes lead from the first of Commits
}

// Has reports whether a commit is known as freight of a warehouse.
func (o *Outlook) Has(w *promotion.Warehouse, commit promotion.SHA) bool {
	return o.has[freightKey{w.Name, commit}]
}

// freightKey names freight by where it came from.
type freightKey struct {
	warehouse promotion.WarehouseName
	commit    promotion.SHA
}

// mayReopen is for how long a resync looks whether a person has opened again what a person has closed. Where Waybill
// has closed it, the branch is gone.
const mayReopen = 7 * 24 * time.Hour

// Outlook returns the bounds of a resync of a pipeline.
func (ps Pipelines) Outlook(pipeline int64) (Outlook, error) {
	row, err := ps.ByID(pipeline)
	if err != nil {
		return Outlook{}, err
	}
	o := Outlook{ResyncedAt: promotion.Later(row.Resynced, row.Created), Since: row.Created}
	o.OpenPulls, err = list(ps.tx, func(p *OpenPull) []any { return []any{&p.Repo, &p.Number} }, `SELECT u.repo, u.number
		FROM pulls u
			JOIN attempts a ON a.pull = u.number AND a.pull <> 0 AND a.repo = u.repo AND a.pipeline + 0 = $1
			WHERE u.state = 'open' AND u.repo IN (SELECT repo FROM stage_branches WHERE pipeline = $1)
		UNION SELECT u.repo, u.number FROM promotions p JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
		AND a.pull <> 0
			JOIN pulls u ON u.repo = a.repo AND u.number = a.pull
			WHERE p.pipeline = $1 AND p.ended_at IS NULL AND p.state IN ('running', 'waiting-for-merge')
		UNION SELECT u.repo, u.number FROM pulls u
			JOIN attempts a ON a.pull = u.number AND a.pull <> 0 AND a.repo = u.repo AND a.pipeline + 0 = $1
			JOIN promotions p ON p.pipeline = a.pipeline AND p.number = a.promotion
			WHERE u.state = 'closed' AND u.updated_at >= $2 AND p.state = 'declined'
				AND u.repo IN (SELECT repo FROM stage_branches WHERE pipeline = $1)
		ORDER BY 1, 2`, pipeline, micros(ps.tx.Now.Add(-mayReopen)))
	if err == nil {
		o.Files, err = ps.filesOutlook(pipeline, promotion.Branch{Repo: row.Repo, Name: row.Branch})
	}
	if err == nil {
		o.has, err = ps.freightSince(pipeline, o.ResyncedAt.Add(-time.Hour))
	}
	if err != nil {
		return Outlook{}, fmt.Errorf("list what a resync of %s looks at: %w", row.Repo, err)
	}
	return o, nil
}

// filesOutlook looks at the branches that hold files of a pipeline's stages.
func (ps Pipelines) filesOutlook(pipeline int64, home promotion.Branch) ([]FilesOutlook, error) {
	others, err := list(
		ps.tx, branchDest,
		`SELECT DISTINCT b.repo, b.branch FROM stage_branches b JOIN stages s ON s.pipeline = b.pipeline AND s.name = b.stage
		WHERE b.pipeline = $1 AND s.removed_at IS NULL AND NOT (b.repo = $2 AND b.branch = $3) ORDER BY b.repo, b.branch`,
		pipeline, home.Repo, home.Name,
	)
	if err != nil {
		return nil, err
	}
	var all []FilesOutlook
	for _, b := range append([]promotion.Branch{home}, others...) {
		one := FilesOutlook{Branch: b}
		if one.Commits, err = ps.hostedCommits(pipeline, b); err != nil {
			return nil, err
		}
		if len(one.Commits) > 0 {
			if one.Reached, err = ps.follow(b, one.Commits[0]); err != nil {
				return nil, err
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// freightSince returns the freight of a pipeline that was merged after a time.
func (ps Pipelines) freightSince(pipeline int64, since time.Time) (map[freightKey]bool, error) {
	some, err := list(ps.tx, func(k *freightKey) []any { return []any{&k.warehouse, &k.commit} },
		`SELECT warehouse, sha FROM freight WHERE pipeline = $1 AND merged_at >= $2`, pipeline, micros(since))
	known := make(map[freightKey]bool, len(some))
	for _, k := range some {
		known[k] = true
	}
	return known, err
}

// follow returns where the known pushes of a branch lead from a commit.
func (ps Pipelines) follow(b promotion.Branch, from promotion.SHA) (promotion.SHA, error) {
	end := from
	_, err := ps.tx.one([]any{&end}, `SELECT u.after_sha FROM pushes u WHERE u.repo = $1 AND u.branch = $2
			AND u.chain = (SELECT MAX(chain + 0) FROM pushes WHERE repo = $1 AND branch = $2 AND before_sha = $3)
		ORDER BY u.position DESC LIMIT 1`, b.Repo, b.Name, from)
	return end, err
}

// hostedCommits returns the commits of a branch that brought the freight of the stages of a pipeline that have files
// there, and the heads that followed them.
func (ps Pipelines) hostedCommits(pipeline int64, on promotion.Branch) ([]promotion.SHA, error) {
	numbers, err := list(ps.tx, single[promotion.Number],
		`SELECT y.promotion FROM stage_branches s CROSS JOIN deployments y
		WHERE s.pipeline = $1 AND s.repo = $2 AND s.branch = $3 AND y.pipeline = s.pipeline AND y.stage = s.stage
			AND y.left_at IS NULL ORDER BY y.entered_at, y.promotion`, pipeline, on.Repo, on.Name)
	if err != nil {
		return nil, err
	}
	var all []promotion.SHA
	for _, n := range numbers {
		commits, err := ps.tx.Deployments.Watched(pipeline, n, on)
		if err != nil {
			return nil, err
		}
		for _, sha := range commits {
			if !slices.Contains(all, sha) {
				all = append(all, sha)
			}
		}
	}
	return all, nil
}
