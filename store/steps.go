package store

import (
	"fmt"

	"waybill/promotion"
)

// PastStep is the pull request of a step of a rollout that is done.
type PastStep struct {
	Number int
	Pull   int
	URL    string // of the pull request, or of the commit where there is none
}

// Steps returns the steps of a promotion that are done and had a pull request or a commit, in their order.
func (as Attempts) Steps(pipeline int64, n promotion.Number) ([]PastStep, error) {
	all, err := list(as.tx, func(s *PastStep) []any { return []any{&s.Number, &s.Pull, &s.URL} },
		`SELECT step, pull, url FROM steps WHERE pipeline = $1 AND promotion = $2 AND url <> '' ORDER BY step`, pipeline, n)
	if err != nil {
		return nil, fmt.Errorf("list the steps of promotion %d: %w", n, err)
	}
	return all, nil
}

// stepsOf returns the branch that each step of a promotion has gone to, or goes to; of one that is no rollout as step
// 0.
func (as Attempts) stepsOf(pipeline int64, n promotion.Number) (map[int]promotion.Branch, error) {
	type went struct {
		step int
		to   promotion.Branch
	}
	all, err := list(as.tx, func(w *went) []any { return []any{&w.step, &w.to.Repo, &w.to.Name} },
		`SELECT step, repo, base FROM steps WHERE pipeline = $1 AND promotion = $2
		UNION SELECT step, repo, base FROM attempts WHERE pipeline = $1 AND promotion = $2`, pipeline, n)
	steps := make(map[int]promotion.Branch, len(all))
	for _, w := range all {
		steps[w.step] = w.to
	}
	return steps, wrap(fmt.Sprintf("list where promotion %d goes to", n), err)
}

// lastBranch returns the branch that the latest commit of a deployment is on. The next step may be on its way to
// another one.
func lastBranch(s *promotion.Deployment, steps map[int]promotion.Branch) promotion.Branch {
	latest := 0
	for i := range s.Results {
		if result := &s.Results[i]; result.Target != "" { // a stage that is one place has no steps
			latest = max(latest, result.Step)
		}
	}
	return steps[latest]
}

// Past returns the state on GitHub of a step of a rollout when the next one began: its branch as we left it, and its
// pull request, if there was one.
func (as Attempts) Past(pipeline int64, n promotion.Number, step int) (promotion.Attempt, error) {
	a := promotion.Attempt{Promotion: n, Step: step}
	found, err := as.tx.one(
		[]any{&a.Files.Repo, &a.Files.Name, &a.Branch, &a.Made.Base, &a.Made.Head, &a.Pull, &a.Made.URL},
		`SELECT repo, base, branch, base_sha, head_sha, pull, url FROM steps
		WHERE pipeline = $1 AND promotion = $2 AND step = $3`,
		pipeline, n, step,
	)
	return a, orNotFound(found, err, fmt.Sprintf("read step %d of promotion %d", step, n))
}

// beginStep adds the row for the state on GitHub of a rollout's next step, which writes to a branch, and puts the row
// of the one before aside.
func (as Attempts) beginStep(pipeline int64, p promotion.Promotion, to promotion.Branch) error {
	if !p.Rolls() {
		return nil
	}
	_, err := as.tx.exec(`INSERT INTO steps (pipeline, promotion, step, branch, base_sha, head_sha, pull, url, repo, base)
		SELECT pipeline, promotion, step, CASE WHEN branch = '' THEN prepared_branch ELSE branch END, base_sha,
		CASE WHEN head_sha = '' THEN prepared_head ELSE head_sha END, pull, url, repo, base
		FROM attempts WHERE pipeline = $1 AND promotion = $2 AND step > 0 AND step < $3`,
		pipeline, p.Number, p.Rollout.Step)
	if err == nil {
		_, err = as.tx.exec(
			`UPDATE attempts SET step = $3, plan_round = 0, plan_base = '', plan_at = NULL, plan_paths = 'null',
				plan_values = 'null', plan_hash = '', plan_problem = '', plan_absent = 'null', plan_notes = 'null', plan_asks = '',
				plan_read = NULL, plan_work = $4,
				prepared_round = 0,
				prepared_branch = '', prepared_base = '', prepared_head = '', prepared_at = NULL, prepared_url = '', state = '',
				late = 0, landed_at = NULL, dispatched_at = NULL, built = 0, branch = '', base_sha = '', head_sha = '', pull = 0,
				url = '', failure = '', unmergeable = '', tried = 0, behind = '', turn_at = NULL,
				after_stage = '', after_number = 0, after_until = NULL, compared_head = '', compared_foreign = 'null',
				repo = $5, base = $6
			WHERE pipeline = $1 AND promotion = $2 AND step < $3`,
			pipeline, p.Number, p.Rollout.Step, []byte{}, to.Repo, to.Name,
		)
	}
	return err
}
