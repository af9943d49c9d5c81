package store

import (
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
	"waybill/store/driver"
)

const attemptColumns = `promotion, plan_round, plan_base, plan_at, plan_paths, plan_values, plan_hash, plan_problem,
	plan_absent, plan_notes, plan_asks, plan_read,
	step, repo, base, state, built, branch, base_sha, head_sha, pull, url, late, landed_at, dispatched_at,
	failure, unmergeable, tried, behind, after_stage, after_number, after_until,
	observed_at, asker, asker_lost, asker_again, compared_head, compared_foreign`

func attemptDest(a *promotion.Attempt) []any {
	a.Plan = new(promotion.Plan)
	p := a.Plan
	return []any{
		&a.Promotion, &p.Round, &p.Base, at(&p.At), asJSON(&p.Paths), asValues(&p.Values), &p.Hash, because(&p.Problem),
		asJSON(&p.Absent), asJSON(&p.Notes), &p.Asks, at(&p.Read),
		&a.Step, &a.Files.Repo, &a.Files.Name, &a.State, &a.Made.Round, &a.Branch, &a.Made.Base,
		&a.Made.Head, &a.Pull, &a.Made.URL, &a.Late, at(&a.Made.At), at(&a.Dispatched), because(&a.Failure), &a.Refused.Why,
		&a.Refused.Revision, &a.Behind, &a.After.Stage, &a.After.Number, at(&a.After.Until), at(&a.Observed),
		&a.Asker.Person, because(&a.Asker.Lost), at(&a.Asker.Again),
		&a.Compared.Head, asJSON(&a.Compared.Foreign),
	}
}

// withoutPlan takes the plan of an attempt away that was read and is none.
func withoutPlan(a *promotion.Attempt) {
	if a.Plan.Round == 0 {
		a.Plan = nil
	}
}

// attemptsInto reads the attempts that a condition selects into an empty list.
func attemptsInto(into *[]promotion.Attempt, where string, args ...any) driver.Query {
	return then(rowsInto(into, attemptDest, `SELECT `+attemptColumns+` FROM attempts a WHERE `+where, args...), func() {
		for i := range *into {
			withoutPlan(&(*into)[i])
		}
	})
}

// where returns the attempts that a condition selects.
func (as Attempts) where(where string, args ...any) (all []promotion.Attempt, err error) {
	err = as.tx.read(attemptsInto(&all, where, args...))
	return all, err
}

// Of returns the state of a promotion on GitHub; the zero attempt if there is none.
func (as Attempts) Of(pipeline int64, n promotion.Number) (promotion.Attempt, error) {
	all, err := as.where(`pipeline = $1 AND promotion = $2`, pipeline, n)
	if err != nil {
		return promotion.Attempt{}, fmt.Errorf("read attempt %d: %w", n, err)
	}
	if len(all) == 0 {
		return promotion.Attempt{Promotion: n}, nil
	}
	return all[0], nil
}

// WithFreight returns a promotion with the state of it on GitHub and its freight.
func (as Attempts) WithFreight(pipeline int64, n promotion.Number) (
	p promotion.Promotion, a promotion.Attempt, f promotion.Freight, err error,
) {
	found, err := as.tx.one(slices.Concat(promotionDest(&p), attemptDest(&a), freightDest(&f)), `SELECT * FROM
		(SELECT `+promotionColumns+` FROM promotions WHERE pipeline = $1 AND number = $2) AS one
		CROSS JOIN (SELECT `+attemptColumns+` FROM attempts WHERE pipeline = $1 AND promotion = $2) AS attempt
		CROSS JOIN (SELECT `+freightColumns+` FROM freight WHERE pipeline = $1
			AND id = (SELECT freight FROM promotions WHERE pipeline = $1 AND number = $2)) AS cargo`, pipeline, n)
	withoutPlan(&a)
	return p, a, f, orNotFound(found, err, fmt.Sprintf("read promotion %d with its freight", n))
}

// OpenInto returns the attempts that have an open pull request into a branch.
func (as Attempts) OpenInto(into promotion.Branch) ([]promotion.Attempt, error) {
	all, err := as.where(`repo = $1
		AND pull IN (SELECT number FROM pulls WHERE repo = $1 AND base = $2 AND state = 'open') ORDER BY pipeline, promotion`,
		into.Repo, into.Name)
	if err != nil {
		return nil, fmt.Errorf("list attempts into %s: %w", into, err)
	}
	return all, nil
}

// HeadsInto returns the commits of ours that are the heads of open pull requests into a branch. One to whose branch a
// person has pushed has another head.
func (as Attempts) HeadsInto(into promotion.Branch) ([]promotion.SHA, error) {
	all, err := list(as.tx, single[promotion.SHA], `SELECT a.head_sha FROM pulls u JOIN attempts a ON a.repo = u.repo
		AND a.pull = u.number WHERE u.repo = $1 AND u.base = $2 AND u.state = 'open' AND a.head_sha = u.head_sha
		ORDER BY a.head_sha`, into.Repo, into.Name)
	return all, wrap("list the heads of promotions into "+into.String(), err)
}

// Unmerged returns the attempts with an open pull request into a branch whose merge is not about to be tried.
func (as Attempts) Unmerged(into promotion.Branch) ([]promotion.Attempt, error) {
	all, err := as.where(`repo = $1
		AND pull IN (SELECT number FROM pulls WHERE repo = $1 AND base = $2 AND state = 'open')
		AND NOT EXISTS (SELECT 1 FROM effects e WHERE e.pipeline = a.pipeline AND e.promotion = a.promotion
			AND e.verb = 'merge' AND e.run_at IS NOT NULL)
		ORDER BY pipeline, promotion`, into.Repo, into.Name)
	if err != nil {
		return nil, fmt.Errorf("list unmerged attempts into %s: %w", into, err)
	}
	return all, nil
}

// LeftAt returns the branch of a promotion, or of a step of it, that may be on GitHub, and the commit at which Waybill
// left it; empty if it has never made one. It is known before GitHub is asked for the branch.
func (as Attempts) LeftAt(pipeline int64, n promotion.Number, step int) (branch string, at promotion.SHA, err error) {
	_, err = as.tx.one([]any{&branch, &at},
		`SELECT CASE branch WHEN '' THEN prepared_branch ELSE branch END,
			CASE branch WHEN '' THEN prepared_head ELSE head_sha END
			FROM attempts WHERE pipeline = $1 AND promotion = $2 AND step = $3
		UNION ALL SELECT branch, head_sha FROM steps WHERE pipeline = $1 AND promotion = $2 AND step = $3`,
		pipeline, n, step)
	return branch, at, wrap(fmt.Sprintf("find the branch of promotion %d", n), err)
}

// SaveObserved records that GitHub was asked for all signals of a promotion, and has answered. A request is the command
// on whose behalf it was asked; 0 is none.
func (as Attempts) SaveObserved(pipeline int64, n promotion.Number, request int64, asked time.Time) error {
	err := as.save(pipeline, n, "observation", `UPDATE attempts SET observed_at = $3
		WHERE pipeline = $1 AND promotion = $2 AND (observed_at IS NULL OR observed_at < $3)`, micros(asked))
	if err != nil || request == 0 {
		return err
	}
	_, err = as.tx.exec(`UPDATE requests SET observed_at = $3 WHERE pipeline = $1 AND id = $2 AND observed_at IS NULL`,
		pipeline, request, micros(asked))
	if err == nil {
		err = as.tx.Stages.touch(`SELECT pipeline, stage FROM requests WHERE pipeline = $1 AND id = $2`, pipeline, request)
	}
	if err != nil {
		return fmt.Errorf("save the observation for request %d: %w", request, err)
	}
	return nil
}

// SaveAsker records whether the person who asked for a promotion may still do so.
func (as Attempts) SaveAsker(pipeline int64, n promotion.Number, a promotion.Asker) error {
	return as.save(pipeline, n, "asker", `UPDATE attempts SET asker = $3, asker_lost = $4, asker_again = $5
		WHERE pipeline = $1 AND promotion = $2 AND NOT (asker_lost = $4 AND ($4 = '' OR asker = $3)
			AND COALESCE(asker_again, 0) = $6)`, a.Person, because(&a.Lost), micros(a.Again), microsOf(a.Again))
}

// save changes the attempt of a promotion, which are the first two arguments of the query, and has its stage decided
// again if there was something new.
func (as Attempts) save(pipeline int64, n promotion.Number, what, query string, args ...any) error {
	changed, err := as.tx.exec(query, append([]any{pipeline, n}, args...)...)
	if err == nil && changed > 0 {
		err = as.tx.Stages.touchPromotion(pipeline, n)
	}
	if err != nil {
		return fmt.Errorf("save the %s of promotion %d: %w", what, n, err)
	}
	return nil
}

// insert adds the row for the state on GitHub of a new promotion, which writes to a branch.
func (as Attempts) insert(pipeline int64, p promotion.Promotion, to promotion.Branch) error {
	_, err := as.tx.exec(
		`INSERT INTO attempts (pipeline, promotion, plan_round, plan_base, plan_paths, plan_hash, plan_problem, plan_work,
			prepared_round, prepared_branch, prepared_base, prepared_head, state, built, branch, base_sha, head_sha, pull, url,
			failure, unmergeable, tried, repo, base)
		VALUES ($1, $2, 0, '', 'null', '', '', $3, 0, '', '', '', '', 0, '', '', '', 0, '', '', '', 0, $4, $5)`,
		pipeline, p.Number, []byte{}, to.Repo, to.Name,
	)
	return err
}

// moveTo has a promotion that waits go to another branch. Its plan is of the old one, and is made anew.
func (as Attempts) moveTo(pipeline int64, n promotion.Number, to promotion.Branch) error {
	_, err := as.tx.exec(`UPDATE attempts SET repo = $3, base = $4, plan_asks = $5
		WHERE pipeline = $1 AND promotion = $2 AND step = 0 AND NOT (repo = $3 AND base = $4)`,
		pipeline, n, to.Repo, to.Name, promotion.PlannedElsewhere)
	return err
}

// StageShowing returns the stage whose promotion has a pull request that shows a commit made by us, or any commit if
// head is empty; the zero key if there is none.
func (as Attempts) StageShowing(repo promotion.Repo, pull int, head promotion.SHA) (key StageKey, err error) {
	_, err = as.tx.one(stageKeyDest(&key), `SELECT o.pipeline, o.stage FROM attempts a
		JOIN promotions o ON o.pipeline = a.pipeline AND o.number = a.promotion
		WHERE a.pull = $2 AND a.pull <> 0 AND ($3 = '' OR a.head_sha = $3) AND a.repo = $1 LIMIT 1`, repo, pull, head)
	if err != nil {
		return StageKey{}, fmt.Errorf("find the stage of pull request %s#%d: %w", repo, pull, err)
	}
	return key, nil
}

// CarriedBy returns the freight of the promotion whose pull request this is; empty if it is that of none.
func (as Attempts) CarriedBy(pipeline int64, repo promotion.Repo, pull int) (f promotion.FreightID, err error) {
	_, err = as.tx.one([]any{&f}, `SELECT `+carriedBy(`$1`, `$2`, `$3`), pipeline, repo, pull)
	return f, wrap("look for what a pull request carries", err)
}
