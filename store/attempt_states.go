package store

import (
	"fmt"

	"waybill/promotion"
)

// prepared is the commit that was made last for an attempt. It may be visible or not.
type prepared struct {
	promotion.Made
	branch string // that shows it; empty: it is put on the branch of the stage's files
}

const preparedColumns = `prepared_round, prepared_branch, prepared_base, prepared_head, prepared_at, prepared_url`

func preparedDest(p *prepared) []any {
	return []any{&p.Round, &p.branch, &p.Base, &p.Head, at(&p.At), &p.URL}
}

// transition changes an attempt, with the commit that was prepared for it, and reports whether it has.
type transition func(a *promotion.Attempt, p prepared) bool

// move makes a transition of the attempt of a promotion, and has its stage decided again if that has changed anything.
func (as Attempts) move(pipeline int64, n promotion.Number, what string, move transition) (moved bool, err error) {
	var a promotion.Attempt
	var p prepared
	found, err := as.tx.one(append(attemptDest(&a), preparedDest(&p)...),
		`SELECT `+attemptColumns+`, `+preparedColumns+` FROM attempts WHERE pipeline = $1 AND promotion = $2`, pipeline, n)
	withoutPlan(&a)
	if err == nil && found && move(&a, p) {
		moved = true
		_, err = as.tx.exec(`UPDATE attempts SET state = $3, built = $4, branch = $5, base_sha = $6, head_sha = $7,
			pull = $8, url = $9, late = $10, landed_at = $11, dispatched_at = $12, failure = $13, unmergeable = $14, tried = $15,
			behind = $16, after_stage = $17, after_number = $18, after_until = $19
			WHERE pipeline = $1 AND promotion = $2`, pipeline, n, a.State,
			a.Made.Round, a.Branch, a.Made.Base, a.Made.Head, a.Pull, a.Made.URL,
			a.Late, micros(a.Made.At), micros(a.Dispatched), because(&a.Failure), a.Refused.Why, a.Refused.Revision,
			a.Behind, a.After.Stage, a.After.Number, micros(a.After.Until))
	}
	if err == nil && moved {
		err = as.tx.Stages.touchPromotion(pipeline, n)
	}
	if err != nil {
		return false, fmt.Errorf("save the %s of promotion %d: %w", what, n, err)
	}
	return moved, nil
}

// SaveOpened records that the commit of a round is visible as a pull request, and the pull request itself.
func (as Attempts) SaveOpened(pipeline int64, n promotion.Number, round int, p promotion.Pull) error {
	if _, err := as.tx.Pulls.Record(p); err != nil {
		return err
	}
	_, err := as.move(pipeline, n, "pull request", func(a *promotion.Attempt, made prepared) bool {
		return a.Propose(promotion.Made{Round: round, Base: baseOf(a, made, round), Head: p.HeadSHA, URL: p.URL}, p.Head,
			p.Number)
	})
	return err
}

// SaveRebuilt records that the branch of the open pull request has been moved to the commit of a round.
func (as Attempts) SaveRebuilt(pipeline int64, n promotion.Number, round int, head promotion.SHA) error {
	_, err := as.move(pipeline, n, "new commit", func(a *promotion.Attempt, made prepared) bool {
		proposed := promotion.Made{Round: round, Base: baseOf(a, made, round), Head: head, URL: a.Made.URL}
		return a.Propose(proposed, a.Branch, a.Pull)
	})
	return err
}

// baseOf returns the base of the commit of a round.
func baseOf(a *promotion.Attempt, made prepared, round int) promotion.SHA {
	if made.Round == round {
		return made.Base
	}
	return a.Made.Base
}

// SaveUnmergeable records that GitHub refused to merge the pull request as it was at a revision, and its reason.
func (as Attempts) SaveUnmergeable(pipeline int64, n promotion.Number, revision int64, why string) error {
	_, err := as.move(pipeline, n, "refusal",
		func(a *promotion.Attempt, _ prepared) bool { return a.RefuseMerge(revision, why) })
	return err
}

// SaveBehind records that GitHub does not merge a commit of the pull request because it is behind the branch.
func (as Attempts) SaveBehind(pipeline int64, n promotion.Number, head promotion.SHA) error {
	_, err := as.move(pipeline, n, "refusal",
		func(a *promotion.Attempt, _ prepared) bool { return a.FallBehind(head) })
	return err
}

// SaveFailure records why a promotion cannot be carried out. The first reason stands.
func (as Attempts) SaveFailure(pipeline int64, n promotion.Number, why promotion.Reason) error {
	_, err := as.move(pipeline, n, "failure", func(a *promotion.Attempt, _ prepared) bool { return a.Fail(why) })
	return err
}

// BeginCommit notes that a commit is being put on the branch, before GitHub is asked to. It does not begin when the
// stage has something undecided or the promotion has gone on: a hold that is recorded first always stops it.
func (as Attempts) BeginCommit(pipeline int64, n promotion.Number, step int, m promotion.Made) (begun bool, err error) {
	begun, err = as.begin(pipeline, n, func(a *promotion.Attempt, _ prepared) bool { return a.BeginCommit(step, m.Round) })
	if err != nil || !begun {
		return false, err
	}
	return true, as.tx.mustChange(fmt.Sprintf("begin the commit of %d", n),
		`UPDATE attempts SET prepared_round = $3, prepared_base = $4,
		prepared_head = $5, prepared_at = $6, prepared_url = $7, prepared_branch = '' WHERE pipeline = $1 AND promotion = $2`,
		pipeline, n, m.Round, m.Base, m.Head, micros(m.At), m.URL)
}

// BeginDispatch notes that the workflow of a promotion is being started, before GitHub is asked to. It does not begin
// when the stage has something undecided or the promotion has gone on, as BeginCommit.
func (as Attempts) BeginDispatch(pipeline int64, n promotion.Number) (begun bool, err error) {
	begun, err = as.begin(pipeline, n, func(a *promotion.Attempt, _ prepared) bool { return a.BeginStart(as.tx.Now) })
	if err != nil || !begun {
		return false, err
	}
	return true, as.tx.mustChange(fmt.Sprintf("begin the workflow of %d", n),
		`UPDATE attempts SET heard = FALSE WHERE pipeline = $1 AND promotion = $2`, pipeline, n)
}

// begin makes a transition of a promotion that runs, if nothing about its stage is undecided and the effect is still
// wanted: a hold may have withdrawn it while it was being tried. A decision that does not know of the beginning yet is
// lost.
func (as Attempts) begin(pipeline int64, n promotion.Number, move transition) (begun bool, err error) {
	decided, err := as.tx.exec(
		`UPDATE stages SET version = version + 1 WHERE pipeline = $1 AND version = decided AND EXISTS (SELECT 1
		FROM promotions p WHERE p.pipeline = $1 AND p.number = $2 AND p.state = 'running' AND p.stage = stages.name)
		AND NOT EXISTS (SELECT 1 FROM effects e WHERE e.pipeline = $1 AND e.promotion = $2 AND e.stage = stages.name
			AND e.fenced AND e.state = 'void' AND e.token <> '')`,
		pipeline, n,
	)
	if err != nil {
		return false, fmt.Errorf("begin to deliver promotion %d: %w", n, err)
	}
	if decided == 0 {
		return false, nil
	}
	return as.move(pipeline, n, "beginning", move)
}

// SaveLanded records that the commit that has begun is on the branch. It came there when it was made, but for a moment.
func (as Attempts) SaveLanded(pipeline int64, n promotion.Number) error {
	_, err := as.move(pipeline, n, "commit",
		func(a *promotion.Attempt, p prepared) bool { return a.Deliver(p.Made) })
	return err
}

// SaveLate records that the commit of a round is not on the branch and never will be, because that has moved.
func (as Attempts) SaveLate(pipeline int64, n promotion.Number, round int) error {
	_, err := as.move(pipeline, n, "late commit",
		func(a *promotion.Attempt, _ prepared) bool { return a.Miss(round) })
	return err
}

// Abandon records that the commit or run that was begun is not on GitHub, so that it is decided anew.
func (as Attempts) Abandon(pipeline int64, n promotion.Number) error {
	_, err := as.move(pipeline, n, "end", func(a *promotion.Attempt, _ prepared) bool { return a.Abandon() })
	return err
}

// SaveHeard records that GitHub has said that it starts the workflow: there is a run, whether it is listed yet or not.
func (as Attempts) SaveHeard(pipeline int64, n promotion.Number) error {
	_, err := as.tx.exec(`UPDATE attempts SET heard = TRUE WHERE pipeline = $1 AND promotion = $2 AND state = 'starting'`,
		pipeline, n)
	if err != nil {
		return fmt.Errorf("save that %d is started: %w", n, err)
	}
	return nil
}

// SaveDispatched records the run that a promotion has started, and the commit that it runs on.
func (as Attempts) SaveDispatched(pipeline int64, n promotion.Number, m promotion.Made, run promotion.Signal) error {
	if _, err := as.tx.Signals.Record(run); err != nil {
		return err
	}
	_, err := as.move(pipeline, n, "run", func(a *promotion.Attempt, _ prepared) bool { return a.Deliver(m) })
	return err
}

// SaveUnheard records that there is no run of a promotion, unless GitHub has said that there is one; it reports which
// it is.
func (as Attempts) SaveUnheard(pipeline int64, n promotion.Number) (gone bool, err error) {
	heard := false
	if _, err := as.tx.one([]any{
		&heard,
	}, `SELECT heard FROM attempts WHERE pipeline = $1 AND promotion = $2`, pipeline, n); err != nil {
		return false, fmt.Errorf("read whether %d is started: %w", n, err)
	}
	if heard {
		return false, nil
	}
	return true, as.Abandon(pipeline, n)
}

// adopt notes that a commit that was prepared is visible: GitHub shows it as the head of our pull request, though the
// answer to the request that did it may still be on its way, or lost. No decision withdraws the effect that did it any
// more, because what belongs to its end is still to be recorded, and no other effect waits for it.
func (pl Pulls) adopt(p promotion.Pull) error {
	shown, err := pl.tx.Attempts.keysWhere(
		`prepared_branch = $2 AND prepared_branch <> '' AND prepared_head = $3 AND a.repo = $1`, p.Repo, p.Head, p.HeadSHA,
	)
	for _, it := range shown {
		round := 0
		moved, err := pl.tx.Attempts.move(
			it.pipeline, it.promotion, "pull request", func(a *promotion.Attempt, made prepared) bool {
				made.URL, round = orElse(p.URL, a.Made.URL), made.Round
				return a.Propose(made.Made, made.branch, p.Number)
			},
		)
		if err == nil && moved {
			_, err = pl.tx.exec(`UPDATE effects SET owed = TRUE, state = 'due', line = '' WHERE pipeline = $1
				AND promotion = $2 AND verb = $3 AND round = $4 AND run_at IS NOT NULL`,
				it.pipeline, it.promotion, promotion.Open, round)
		}
		if err != nil {
			return fmt.Errorf("adopt %s#%d: %w", p.Repo, p.Number, err)
		}
	}
	return err
}

// Refuse notes why GitHub does not merge an open pull request of ours as it is: it is not tried again before something
// happens to it.
func (pl Pulls) Refuse(repo promotion.Repo, number int, why string) error {
	note := fmt.Sprintf("note why %s#%d is not merged", repo, number)
	var revision int64
	open, err := pl.tx.one([]any{&revision},
		`SELECT revision FROM pulls WHERE repo = $1 AND number = $2 AND state = 'open'`, repo, number)
	if err != nil || !open {
		return wrap(note, err)
	}
	ours, err := pl.tx.Attempts.keysWhere(`a.pull = $2 AND a.pull <> 0 AND a.repo = $1`, repo, number)
	for _, it := range ours {
		if err := pl.tx.Attempts.SaveUnmergeable(it.pipeline, it.promotion, revision, why); err != nil {
			return wrap(note, err)
		}
	}
	return wrap(note, err)
}

// attemptKey names the attempt of a promotion.
type attemptKey struct {
	pipeline  int64
	promotion promotion.Number
}

// keysWhere names the attempts that a condition selects.
func (as Attempts) keysWhere(condition string, args ...any) ([]attemptKey, error) {
	return list(as.tx, func(k *attemptKey) []any { return []any{&k.pipeline, &k.promotion} },
		`SELECT a.pipeline, a.promotion FROM attempts a WHERE `+condition+` ORDER BY a.pipeline, a.promotion`, args...)
}
