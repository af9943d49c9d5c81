package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

var requestColumns = `id, command, actor_id, actor, surface, pull_repo, pull, asked_at, permission, teams, typed, ` +
	`observed_at, heard, late, unmerged, together, ` + requestCarries

// requestCarries is the freight of the promotion whose pull request a request stands on.
var requestCarries = carriedBy(`requests.pipeline`, `requests.pull_repo`, `requests.pull`)

// carriedBy is the freight of the promotion whose pull request, of its present step or of an earlier one, this is.
func carriedBy(pipeline, repo, pull string) string {
	return `COALESCE((SELECT o.freight FROM promotions o
		WHERE ` + pull + ` <> 0 AND o.pipeline = ` + pipeline + ` AND o.number IN (
			SELECT a.promotion FROM attempts a WHERE a.pipeline = ` + pipeline + ` AND a.repo = ` + repo + `
				AND a.pull = ` + pull + ` AND a.pull <> 0
			UNION ALL SELECT p.promotion FROM steps p WHERE p.pipeline = ` + pipeline + ` AND p.repo = ` + repo + `
				AND p.pull = ` + pull + ` AND p.pull <> 0)
		LIMIT 1), '')`
}

func requestDest(r *promotion.Request) []any {
	return []any{&r.ID, commandColumn{&r.Command}, &r.By.ID, &r.By.Login, &r.Surface, &r.PullRepo, &r.Pull, at(&r.At),
		permissionColumn{&r.Permission}, asJSON(&r.Teams), &r.Typed, at(&r.Observed), &r.Heard, &r.Late,
		&r.Unmerged, &r.Together, &r.Carries}
}

// Record records a command, and returns the id that it gets in its pipeline. The stage that it names answers it; a
// command to the whole pipeline, or to a stage that does not exist, is answered by the first one. A command to the
// whole pipeline concerns all. It is ErrUnknownStage if there are none.
func (rq Requests) Record(pipeline int64, r promotion.Request) (id int64, err error) {
	return rq.RecordAll(pipeline, []promotion.Request{r})
}

// RecordAll records the requests of one command, in order, and returns the id of the first. If they are several, that
// is what they are together under: the command gets one answer, when the last of them has been answered.
func (rq Requests) RecordAll(pipeline int64, all []promotion.Request) (first int64, err error) {
	stages := make([]promotion.StageName, len(all))
	for i, r := range all {
		if stages[i], err = rq.concern(pipeline, r.Command); err != nil {
			return 0, recordError(r, err)
		}
	}
	// The counter comes after the stages, as in Apply: all in one order, so that two never wait for each other.
	_, err = rq.tx.one([]any{&first}, `UPDATE pipelines SET requests = requests + $2 WHERE id = $1
		RETURNING requests - $2 + 1`, pipeline, len(all))
	for i, r := range all {
		if len(all) > 1 {
			r.Together = first
		}
		if r.ID = first + int64(i); err == nil {
			err = rq.insert(pipeline, stages[i], r)
		}
		if err != nil {
			return 0, recordError(r, err)
		}
	}
	return first, nil
}

func recordError(r promotion.Request, err error) error {
	return fmt.Errorf("record %s of %s: %w", r.Command.Verb, r.By.Login, err)
}

// concern raises the versions of the stages that a command concerns, and returns the one that answers it.
func (rq Requests) concern(pipeline int64, c promotion.Command) (stage promotion.StageName, err error) {
	if stage, err = rq.answering(pipeline, c); err == nil {
		err = rq.tx.Stages.Touch(StageKey{pipeline, stage})
	}
	if err == nil && c.All {
		err = rq.tx.Stages.touchAll(pipeline, stage)
	}
	return stage, err
}

func (rq Requests) insert(pipeline int64, stage promotion.StageName, r promotion.Request) error {
	_, err := rq.tx.exec(`INSERT INTO requests (pipeline, id, stage, command, actor_id, actor, surface, pull_repo, pull,
		asked_at, permission, teams, typed, heard, late, unmerged, together)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		pipeline, r.ID, stage, commandColumn{&r.Command}, r.By.ID, r.By.Login, r.Surface, r.PullRepo, r.Pull,
		micros(r.At), permissionColumn{&r.Permission}, asJSON(r.Teams), r.Typed, r.Heard, r.Late, r.Unmerged, r.Together)
	return err
}

// TakenBackSince reports whether the person who signs something off on a pull request has taken a sign-off back there
// after they had written that: what they said last counts, in whichever order GitHub tells of it.
func (rq Requests) TakenBackSince(r promotion.Request) (since bool, err error) {
	_, err = rq.tx.one([]any{&since}, `SELECT EXISTS (SELECT 1 FROM requests WHERE actor_id = $1 AND pull_repo = $2
		AND pull = $3 AND asked_at > $4 AND command LIKE '%"withdraw":true%')`, r.By.ID, r.PullRepo, r.Pull, micros(r.At))
	return since, wrap("look for what was taken back of "+string(r.By.Login), err)
}

// Give notes that a person has given a command, by what tells it from all others on its surface: "comment/9871 hold
// dev". fresh is false if it is known: whoever tells of it again, and whenever, it is one command.
func (rq Requests) Give(act string) (fresh bool, err error) {
	n, err := rq.tx.exec(`INSERT INTO acts (act, given_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, act,
		micros(rq.tx.Now))
	return n > 0, wrap("note a command", err)
}

// answering returns the stage that answers a command.
func (rq Requests) answering(pipeline int64, c promotion.Command) (stage promotion.StageName, err error) {
	found, err := rq.tx.one([]any{&stage}, `SELECT name FROM stages WHERE pipeline = $1 AND removed_at IS NULL
		ORDER BY CASE WHEN name = $2 THEN 0 ELSE 1 END, position LIMIT 1`, pipeline, c.Stage)
	if err == nil && !found {
		err = ErrUnknownStage
	}
	return stage, err
}

// ByID returns a command to a pipeline that was recorded, and when it was answered; the zero time if it has not been.
func (rq Requests) ByID(pipeline, id int64) (r promotion.Request, answered time.Time, err error) {
	found, err := rq.tx.one(append(requestDest(&r), at(&answered)), `SELECT `+requestColumns+`, answered_at FROM requests
		WHERE pipeline = $1 AND id = $2`, pipeline, id)
	return r, answered, orNotFound(found, err, fmt.Sprintf("read request %d", id))
}

// answers joins requests with the replies to them.
const answers = `requests q JOIN effects e ON e.pipeline = q.pipeline AND e.key = 'reply/' || q.id`

// Said returns the text of the answer on a surface; "" while there is none.
func (rq Requests) Said(surface string) (text string, err error) {
	_, err = rq.tx.one([]any{&text}, `SELECT e.result FROM `+answers+` WHERE q.surface = $1`, surface)
	return text, wrap("read the answer on "+surface, err)
}

// askedBefore selects the requests of the same person on the same pull request before a command, to any pipeline: there
// may be several that take the pull request.
const askedBefore = `q.actor_id = $1 AND q.pull_repo = $2 AND q.pull = $3
	AND (q.pipeline = $4 AND q.id < $5 OR q.pipeline <> $4 AND (q.asked_at, q.pipeline) < ($6, $4))`

// before are the arguments of askedBefore.
func before(pipeline int64, r promotion.Request) []any {
	return []any{r.By.ID, r.PullRepo, r.Pull, pipeline, r.ID, micros(r.At)}
}

// RepliedBefore returns the commands of the same person to a pipeline that were answered with the same outcome on the
// same pull request since a time, the last 1,000 before this one.
func (rq Requests) RepliedBefore(
	pipeline int64, r promotion.Request, outcome string, since time.Time,
) ([]promotion.Command, error) {
	all, err := list(rq.tx, func(c *promotion.Command) []any { return []any{asJSON(c)} },
		`SELECT q.command FROM `+answers+` WHERE `+askedBefore+` AND q.asked_at >= $7 AND e.outcome = $8
		ORDER BY q.asked_at DESC, q.pipeline, q.id DESC LIMIT 1000`,
		append(before(pipeline, r), micros(since), outcome)...)
	if err != nil {
		return nil, fmt.Errorf("list the replies before request %d: %w", r.ID, err)
	}
	return all, nil
}
