package store

import (
	"fmt"
	"slices"

	"waybill/promotion"
)

// markAnswered notes that requests have been answered, and writes each with its answer to the audit trail: the person,
// the surface, the command, and the reply (T40).
func (rq Requests) markAnswered(key StageKey, requests []promotion.Request, answers []promotion.Answer) error {
	for _, a := range answers {
		n, err := rq.tx.exec(`UPDATE requests SET answered_at = $3, outcome = $4, about = $5, reason = $6
			WHERE pipeline = $1 AND id = $2 AND answered_at IS NULL`,
			key.Pipeline, a.Request, micros(rq.tx.Now), a.Outcome, a.About, because(&a.Reason))
		i := slices.IndexFunc(requests, func(r promotion.Request) bool { return r.ID == a.Request })
		if err == nil && n > 0 && i >= 0 {
			err = rq.logAnswer(key, requests[i], a)
		}
		if err != nil {
			return fmt.Errorf("answer request %d: %w", a.Request, err)
		}
	}
	return nil
}

func (rq Requests) logAnswer(key StageKey, r promotion.Request, a promotion.Answer) error {
	said, err := asJSON(storedCommand(r.Command)).text()
	if err != nil {
		return err
	}
	return rq.tx.Audit.Log(Event{
		Kind: EventCommand, Word: string(r.Command.Verb), Pipeline: key.Pipeline, Stage: key.Stage, Promotion: a.About,
		Outcome: string(a.Outcome), Reason: a.Reason, By: r.By, Source: r.Surface, Plan: a.Plan, Typed: r.Typed, Rule: a.Rule,
		Text: said,
	})
}
