package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// mayWrite is the condition of requests of people who may write.
const mayWrite = `permission IN ('write', 'maintain', 'admin')`

// Worded is how many answers in words there were in a repository.
type Worded struct {
	Own      int // to one person
	OwnReads int // to that person where they might not write
	Readers  int // to all people who may not write
}

// Worded counts the answers in words that are said in a repository since a time, without the one to a command of a
// pipeline. granted says that this one has got its words already.
func (rq Requests) Worded(pipeline int64, r promotion.Request, in promotion.Repo, since time.Time) (
	w Worded, granted bool, err error,
) {
	granted, err = rq.tx.one([]any{new(int)}, `SELECT 1 FROM requests WHERE pipeline = $1 AND id = $2
		AND worded_at IS NOT NULL`, pipeline, r.ID)
	if err == nil {
		_, err = rq.tx.one([]any{&w.Own, &w.OwnReads, &w.Readers},
			`SELECT COALESCE(SUM(CASE WHEN actor_id = $1 THEN 1 ELSE 0 END), 0),
				COALESCE(SUM(CASE WHEN actor_id <> $1 OR `+mayWrite+` THEN 0 ELSE 1 END), 0),
				COALESCE(SUM(CASE WHEN `+mayWrite+` THEN 0 ELSE 1 END), 0)
			FROM requests WHERE worded_in = $2 AND worded_at >= $3 AND NOT (pipeline = $4 AND id = $5)`,
			r.By.ID, in, micros(since), pipeline, r.ID)
	}
	return w, granted, wrap(fmt.Sprintf("count the answers before request %d", r.ID), err)
}

// GrantWords notes that the answer to a command is said in words, in a repository.
func (rq Requests) GrantWords(pipeline, id int64, in promotion.Repo) error {
	return rq.tx.mustChange(fmt.Sprintf("grant words for the answer to request %d", id),
		`UPDATE requests SET worded_at = $3, worded_in = $4 WHERE pipeline = $1 AND id = $2`, pipeline, id,
		micros(rq.tx.Now), in)
}

// Commented is how many comments with commands there were in a repository before one.
type Commented struct {
	Own     int // by the same person
	Readers int // by all people who may not write
}

// Commented counts the comments with commands that were recorded in the repository of a comment before it, since a
// time.
func (rq Requests) Commented(pipeline int64, r promotion.Request, since time.Time) (c Commented, err error) {
	_, err = rq.tx.one([]any{&c.Own, &c.Readers}, `SELECT COUNT(DISTINCT CASE WHEN q.actor_id = $1 THEN q.surface END),
			COUNT(DISTINCT CASE WHEN `+mayWrite+` THEN NULL ELSE q.surface END)
		FROM requests q WHERE q.pull_repo = $2 AND q.asked_at >= $6 AND q.surface <> $7
			AND (q.pipeline = $3 AND q.id < $4 OR q.pipeline <> $3 AND (q.asked_at, q.pipeline) < ($5, $3))`,
		r.By.ID, r.PullRepo, pipeline, r.ID, micros(r.At), micros(since), r.Surface)
	return c, wrap("count the comments before "+r.Surface, err)
}

// AskedOn returns the command on a surface that was recorded first, and its pipeline; the zero values if there is none.
func (rq Requests) AskedOn(surface string) (pipeline int64, r promotion.Request, err error) {
	_, err = rq.tx.one(append([]any{&pipeline}, requestDest(&r)...), `SELECT pipeline, `+requestColumns+` FROM requests
		WHERE surface = $1 ORDER BY pipeline, id LIMIT 1`, surface)
	return pipeline, r, wrap("read what was asked on "+surface, err)
}

// SameAnswer reports whether an earlier command of the same comment has the same outcome, and shows it.
func (rq Requests) SameAnswer(pipeline int64, r promotion.Request, outcome string) (bool, error) {
	found, err := rq.tx.one([]any{new(int)}, `SELECT 1 FROM `+answers+` WHERE q.surface = $1 AND e.outcome = $2
		AND (q.pipeline, q.id) < ($3, $4) LIMIT 1`, r.Surface, outcome, pipeline, r.ID)
	return found, wrap("look for the same answer on "+r.Surface, err)
}
