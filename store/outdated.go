package store

import (
	"fmt"

	"waybill/promotion"
)

// The comments that a person has no more use for once a later command of theirs on the pull request is answered: what
// refused them, once they have got what they wanted, and what answered their questions in other comments, once they
// have asked anew.
const (
	refused = askedBefore + ` AND q.asked_at >= 0 AND e.result <> '' AND e.outcome = 'refused'`
	told    = askedBefore + ` AND q.asked_at >= 0 AND e.result <> '' AND e.outcome <> 'refused' AND q.surface <> $7`
)

// outdated returns which of them a command makes outdated, and the arguments.
func outdated(pipeline int64, r promotion.Request, question bool) (which string, args []any) {
	if question {
		return told, append(before(pipeline, r), r.Surface)
	}
	return refused, before(pipeline, r)
}

// OutdatedBy returns the ids on the surface of the comments that a command of a person, or a question, makes outdated.
func (rq Requests) OutdatedBy(pipeline int64, r promotion.Request, question bool) ([]string, error) {
	which, args := outdated(pipeline, r, question)
	nodes, err := list(rq.tx, single[string], `SELECT e.result FROM `+answers+` WHERE `+which, args...)
	return nodes, wrap(fmt.Sprintf("list what request %d makes outdated", r.ID), err)
}

// ForgetOutdatedBy notes that those comments need no more care.
func (rq Requests) ForgetOutdatedBy(pipeline int64, r promotion.Request, question bool) error {
	which, args := outdated(pipeline, r, question)
	_, err := rq.tx.exec(`UPDATE effects SET result = '' WHERE (pipeline, key) IN (SELECT e.pipeline, e.key
		FROM `+answers+` WHERE `+which+`)`, args...)
	return wrap(fmt.Sprintf("forget what request %d made outdated", r.ID), err)
}
