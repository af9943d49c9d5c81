package store

import (
	"fmt"
	"slices"

	"waybill/promotion"
)

const deploymentColumns = `promotion, stage, warehouse, freight, entered_at, left_at, verdict, judged_at, cause,
	judged_by_id, judged_by, plan, commit_sha, since_at, wrote, drift, results, short, recovered`

func deploymentDest(s *promotion.Deployment) []any {
	return []any{&s.Promotion, &s.Stage, &s.Warehouse, &s.Freight, at(&s.Entered), at(&s.Left), &s.Verdict, at(&s.Judged),
		because(&s.Cause), &s.JudgedBy.ID, &s.JudgedBy.Login, &s.Plan, &s.Commit, at(&s.Since), asValues(&s.Wrote),
		driftColumn{&s.Drift},
		resultsColumn{&s.Results}, &s.Incomplete, &s.Recovered}
}

// Hosted returns the deployments of a pipeline that have not ended: the freight that each of its stages hosts now, of
// each warehouse.
func (ds Deployments) Hosted(pipeline int64) ([]promotion.Deployment, error) {
	all, err := list(ds.tx, deploymentDest,
		`SELECT `+deploymentColumns+` FROM deployments WHERE pipeline = $1 AND left_at IS NULL
		ORDER BY stage, warehouse`, pipeline)
	if err != nil {
		return nil, fmt.Errorf("list what is hosted: %w", err)
	}
	return all, nil
}

// Of returns the deployments of a freight in the stages of a pipeline, in the order they began.
func (ds Deployments) Of(pipeline int64, id promotion.FreightID) ([]promotion.Deployment, error) {
	all, err := list(ds.tx, deploymentDest,
		`SELECT `+deploymentColumns+` FROM deployments WHERE pipeline = $1 AND freight = $2
		ORDER BY entered_at, promotion`, pipeline, id)
	if err != nil {
		return nil, fmt.Errorf("list the deployments of %s: %w", id, err)
	}
	return all, nil
}

// Results returns a promotion's results for its targets; none if it has no rollout, or no step of it is merged.
func (ds Deployments) Results(pipeline int64, n promotion.Number) (results []promotion.TargetResult, err error) {
	if _, err = ds.tx.one([]any{
		resultsColumn{&results},
	}, `SELECT results FROM deployments WHERE pipeline = $1 AND promotion = $2`, pipeline, n); err != nil {
		return nil, fmt.Errorf("read the targets of promotion %d: %w", n, err)
	}
	return results, nil
}

// save writes a deployment that is new or has changed.
func (ds Deployments) save(pipeline int64, s promotion.Deployment) error {
	_, err := ds.tx.exec(
		`INSERT INTO deployments (pipeline, promotion, stage, warehouse, freight, entered_at, left_at, verdict, judged_at,
			cause, judged_by_id, judged_by, plan, commit_sha, since_at, wrote, drift, results, short, recovered)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
		ON CONFLICT (pipeline, promotion) DO UPDATE SET left_at = $7, verdict = $8, judged_at = $9, cause = $10,
		judged_by_id = $11, judged_by = $12, plan = $13, commit_sha = $14, since_at = $15, wrote = $16, drift = $17,
			results = $18, short = $19, recovered = $20`,
		pipeline, s.Promotion, s.Stage, s.Warehouse, s.Freight, micros(s.Entered), micros(s.Left), s.Verdict,
		micros(s.Judged), because(&s.Cause), s.JudgedBy.ID, s.JudgedBy.Login, s.Plan, s.Commit, micros(s.Since),
		asValues(&s.Wrote), driftColumn{&s.Drift}, resultsColumn{&s.Results}, s.Incomplete, s.Recovered,
	)
	if err != nil {
		return fmt.Errorf("save the stay of promotion %d: %w", s.Promotion, conflict(err))
	}
	return nil
}

// maxWatched bounds how many commits GitHub is asked about at once.
const maxWatched = 50

// Watched returns the commits of a branch whose signals may judge a promotion: its own, and the heads that followed the
// latest, of which only the newest if there are many. There are none once its deployment has ended.
func (ds Deployments) Watched(pipeline int64, n promotion.Number, on promotion.Branch) ([]promotion.SHA, error) {
	deployments, err := list(ds.tx, deploymentDest,
		`SELECT `+deploymentColumns+` FROM deployments WHERE pipeline = $1 AND promotion = $2 AND left_at IS NULL`,
		pipeline, n)
	if err != nil || len(deployments) == 0 {
		return nil, err
	}
	latest, judged, err := ds.broughtTo(pipeline, on, &deployments[0])
	if err != nil || latest == "" {
		return nil, err
	}
	followed, err := ds.followers(&deployments[0], pipeline, on, latest)
	if err != nil {
		return nil, fmt.Errorf("list the commits after %s: %w", latest, err)
	}
	watched := []promotion.SHA{latest}
	for _, commit := range slices.Backward(followed) {
		if !slices.Contains(watched, commit) {
			watched = append(watched, commit)
		}
	}
	for _, commit := range judged {
		if !slices.Contains(watched, commit) && len(watched) < 2*maxWatched {
			watched = append(watched, commit)
		}
	}
	return watched, nil
}

// followers returns the newest heads of a branch that may judge a deployment's commit there, the newest first.
func (ds Deployments) followers(
	of *promotion.Deployment, pipeline int64, on promotion.Branch, commit promotion.SHA,
) ([]promotion.SHA, error) {
	var chain, first, last int64
	found, err := ds.tx.one([]any{&chain, &first, &last}, `SELECT chain, MIN(first), MAX(last) FROM ways
		WHERE pipeline = $1 AND stage = $2 AND repo = $3 AND branch = $4 AND commit_sha = $5 AND chain > 0
		GROUP BY chain ORDER BY chain LIMIT 1`, pipeline, of.Stage, on.Repo, on.Name, commit)
	if err != nil || !found {
		return nil, err
	}
	return list(ds.tx, single[promotion.SHA], `SELECT after_sha FROM pushes WHERE repo = $1 AND branch = $2 AND chain = $3
		AND position > $4 AND position <= $5 ORDER BY position DESC LIMIT $6 + 0`, on.Repo, on.Name, chain,
		first, last, maxWatched)
}

// broughtTo returns the commit that has brought the latest part of a deployment to a branch, and those there that
// brought targets which are not verified, the latest first. Where the deployment brought nothing there, latest is
// empty.
func (ds Deployments) broughtTo(
	pipeline int64, on promotion.Branch, s *promotion.Deployment,
) (latest promotion.SHA, judged []promotion.SHA, err error) {
	steps, err := ds.tx.Attempts.stepsOf(pipeline, s.Promotion)
	if err != nil {
		return "", nil, err
	}
	if lastBranch(s, steps) == on {
		latest = s.Commit
	}
	for i := range slices.Backward(s.Results) {
		result := &s.Results[i]
		there := result.Step > 0 && steps[result.Step] == on
		if there && latest == "" {
			latest = result.Commit
		}
		if there && result.Verdict != promotion.Passed {
			judged = append(judged, result.Commit)
		}
	}
	return latest, judged, nil
}
