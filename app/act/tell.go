package act

import (
	"context"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/say"
	"waybill/store"
)

// tell comments on the freight's source pull request, or on the promotion's if people have looked at that one. The
// comment carries its effect's key, so that it is found again when the answer of GitHub was lost.
func (a *Executor) tell(ctx context.Context, j *job) (work.Record, error) {
	repo, number := j.freight.Repo, j.freight.Pull
	if j.Outcome == string(promotion.Void) {
		repo, number = j.files.Repo, j.attempt.Pull // people have signed off there
	}
	if number == 0 {
		return nil, nil // the check run reports on freight without a pull request
	}
	where, err := a.Client(repo)
	if err != nil {
		return nil, err
	}
	var at promotion.FreightStatus
	var offered []promotion.Command
	err = a.Store.View(ctx, func(tx *store.Tx) error {
		s, err := tx.Ledger.Snapshot(j.pipeline, store.StageKey{Pipeline: j.Pipeline, Stage: j.Stage}, j.freight.ID)
		if err == nil && j.stage != nil {
			at = decide.WhyPromoted(s, &j.promotion, tx.Now)
			offered = decide.Told(s, at, j.Outcome, tx.Now)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	_, err = where.Comments.Write(ctx, gh.Comment{
		Issue: number, Marker: marker(j), Body: say.TellNow(&j.promotion, j.Outcome, j.Reason, at, offered),
	})
	return nil, err
}
