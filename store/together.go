package store

import (
	"fmt"

	"waybill/promotion"
)

// Answered is a request of a command to several stages, with the answer of its stage.
type Answered struct {
	promotion.Request
	Outcome promotion.Code
	About   promotion.Number // the promotion that the answer is about; 0: none
	Reason  promotion.Reason
}

// Together returns the requests of one command to several stages, in their order.
func (rq Requests) Together(pipeline, together int64) ([]Answered, error) {
	all, err := list(rq.tx, func(a *Answered) []any {
		return append(requestDest(&a.Request), &a.Outcome, &a.About, because(&a.Reason))
	}, `SELECT `+requestColumns+`, outcome, about, reason FROM requests WHERE pipeline = $1 AND together = $2
		AND together <> 0 ORDER BY id`, pipeline, together)
	if err != nil {
		return nil, fmt.Errorf("list the answers to request %d: %w", together, err)
	}
	return all, nil
}

// repliesTogether returns the replies to commands to several stages that a decision answers as the last of them.
func (rq Requests) repliesTogether(key StageKey, d promotion.Decision, asked []promotion.Request,
) (replies []promotion.Effect, err error) {
	for _, r := range asked {
		outcome, answered := outcomeOf(d.Answered, r.ID)
		if r.Together == 0 || !answered {
			continue
		}
		outcomes, last, err := rq.outcomesBefore(key.Pipeline, r)
		if err != nil {
			return nil, err
		}
		if last {
			replies = append(replies, promotion.ReplyTogether(r, append(outcomes, outcome)))
		}
	}
	return replies, nil
}

// outcomesBefore returns the outcomes of the other requests of a command, each once, and whether all of them have been
// answered.
func (rq Requests) outcomesBefore(
	pipeline int64, r promotion.Request,
) (outcomes []promotion.Code, all bool, err error) {
	waits, err := rq.tx.one([]any{new(int64)}, `SELECT id FROM requests WHERE pipeline = $1 AND together = $2
		AND together <> 0 AND answered_at IS NULL AND id <> $3 LIMIT 1`, pipeline, r.Together, r.ID)
	if err != nil || waits {
		return nil, false, wrap("look who has still to answer", err)
	}
	outcomes, err = list(rq.tx, single[promotion.Code], `SELECT DISTINCT outcome FROM requests WHERE pipeline = $1
		AND together = $2 AND together <> 0 AND answered_at IS NOT NULL`, pipeline, r.Together)
	return outcomes, true, wrap("read what others have answered", err)
}

// outcomeOf returns the outcome of a request in the answers of a decision; false if they do not answer it.
func outcomeOf(answers []promotion.Answer, request int64) (promotion.Code, bool) {
	for _, a := range answers {
		if a.Request == request {
			return a.Outcome, true
		}
	}
	return "", false
}
