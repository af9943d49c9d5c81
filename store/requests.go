package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

const requestColumns = `id, command, actor_id, actor, surface, pull_repo, pull, asked_at, permission, teams, typed, observed_at`

func requestDest(r *promotion.Request) []any {
	return []any{&r.ID, commandColumn{&r.Command}, &r.By.ID, &r.By.Login, &r.Surface, &r.PullRepo, &r.Pull, at(&r.At),
		permissionColumn{&r.Permission}, asJSON(&r.Teams), &r.Typed, at(&r.Observed)}
}

// RecordRequest records a command, and returns the id that it gets. The stage that it names answers it; what is asked of
// the whole pipeline, or of a stage that does not exist, is answered by the first one. What is asked of the whole pipeline
// concerns all. It is ErrUnknownStage if there are none.
func (lg Ledger) RecordRequest(pipeline int64, r promotion.Request) (id int64, err error) {
	stage, err := lg.answering(pipeline, r.Command)
	if err == nil {
		id, err = lg.tx.take("id", 1)
	}
	if err == nil {
		_, err = lg.tx.exec(`INSERT INTO requests (id, pipeline, stage, command, actor_id, actor, surface, pull_repo, pull, asked_at,
				permission, teams, typed)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			id, pipeline, stage, commandColumn{&r.Command}, r.By.ID, r.By.Login, r.Surface, r.PullRepo, r.Pull, micros(r.At),
			permissionColumn{&r.Permission}, asJSON(r.Teams), r.Typed)
	}
	if err == nil {
		err = lg.Touch(StageKey{pipeline, stage})
	}
	if err == nil && r.Command.All {
		err = lg.touchAll(pipeline, stage)
	}
	if err != nil {
		return 0, fmt.Errorf("record %s of %s: %w", r.Command.Verb, r.By.Login, err)
	}
	return id, nil
}

// answering returns the stage that answers a command.
func (lg Ledger) answering(pipeline int64, c promotion.Command) (stage promotion.StageName, err error) {
	found, err := lg.tx.one([]any{&stage}, `SELECT name FROM stages WHERE pipeline = $1 AND removed_at IS NULL
		ORDER BY CASE WHEN name = $2 THEN 0 ELSE 1 END, position LIMIT 1`, pipeline, c.Stage)
	if err == nil && !found {
		err = ErrUnknownStage
	}
	return stage, err
}

// SaveRights records what somebody who has asked may do now.
func (lg Ledger) SaveRights(request int64, p promotion.Permission, teams []string) error {
	n, err := lg.tx.exec(`UPDATE requests SET permission = $2, teams = $3 WHERE id = $1 AND answered_at IS NULL
		AND (permission <> $2 OR teams <> $3)`, request, permissionColumn{&p}, asJSON(teams))
	if err == nil && n > 0 {
		err = lg.touch(`SELECT pipeline, stage FROM requests WHERE id = $1`, request)
	}
	if err != nil {
		return fmt.Errorf("save the rights behind request %d: %w", request, err)
	}
	return nil
}

// Request returns a command that was recorded, and when it was answered; the zero time if it has not been.
func (lg Ledger) Request(id int64) (r promotion.Request, answered time.Time, err error) {
	found, err := lg.tx.one(append(requestDest(&r), at(&answered)), `SELECT `+requestColumns+`, answered_at FROM requests WHERE id = $1`, id)
	return r, answered, orNotFound(found, err, fmt.Sprintf("read request %d", id))
}

// Said returns what the answer on a surface has left to be read; "" while there is none.
func (lg Ledger) Said(surface string) (text string, err error) {
	_, err = lg.tx.one([]any{&text}, `SELECT e.result FROM requests q JOIN effects e ON e.key = 'reply/' || q.id WHERE q.surface = $1`, surface)
	return text, wrap("read the answer on "+surface, err)
}

// refusals are the replies that refused somebody something on a pull request before, and are known by a name there.
const refusals = `SELECT e.key FROM requests q JOIN effects e ON e.key = 'reply/' || q.id
	WHERE q.actor_id = $1 AND q.asked_at >= 0 AND q.pull_repo = $2 AND q.pull = $3 AND q.id < $4 AND e.outcome = 'refused' AND e.result <> ''`

// RefusalsBefore returns how the other side calls the comments that refused somebody something on a pull request, before a
// command of theirs.
func (lg Ledger) RefusalsBefore(r promotion.Request) ([]string, error) {
	nodes, err := list(lg.tx, single[string], `SELECT result FROM effects WHERE key IN (`+refusals+`)`, r.By.ID, r.PullRepo, r.Pull, r.ID)
	return nodes, wrap(fmt.Sprintf("list what was refused before request %d", r.ID), err)
}

// ForgetRefusals notes that those comments need no more care.
func (lg Ledger) ForgetRefusals(r promotion.Request) error {
	_, err := lg.tx.exec(`UPDATE effects SET result = '' WHERE key IN (`+refusals+`)`, r.By.ID, r.PullRepo, r.Pull, r.ID)
	return wrap(fmt.Sprintf("forget what was refused before request %d", r.ID), err)
}

// RepliedBefore returns the commands of whoever gave this one that were answered with the same outcome on the same pull
// request since a time, the last 1,000 before it.
func (lg Ledger) RepliedBefore(r promotion.Request, outcome string, since time.Time) ([]promotion.Command, error) {
	all, err := list(lg.tx, func(c *promotion.Command) []any { return []any{asJSON(c)} },
		`SELECT q.command FROM requests q JOIN effects e ON e.key = 'reply/' || q.id
		WHERE q.actor_id = $1 AND q.asked_at >= $2 AND q.pull_repo = $3 AND q.pull = $4 AND q.id < $5 AND e.outcome = $6 ORDER BY q.id DESC LIMIT 1000`,
		r.By.ID, micros(since), r.PullRepo, r.Pull, r.ID, outcome)
	if err != nil {
		return nil, fmt.Errorf("list the replies before request %d: %w", r.ID, err)
	}
	return all, nil
}
