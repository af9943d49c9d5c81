package act

import (
	"context"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/say"
)

// tell writes a comment on the freight's source pull request, or on the promotion's if that is what people looked at.
// The comment carries its effect's key, so that it is found again when the answer to it was lost.
func (a *Executor) tell(ctx context.Context, j *job) (work.Record, error) {
	repo, number := j.freight.Repo, j.freight.Pull
	if j.Outcome == string(promotion.Void) {
		repo, number = j.files.Repo, j.attempt.Pull // that is where people have signed off
	}
	if number == 0 {
		return nil, nil // freight without a pull request is told about by its check run
	}
	where, err := a.Client(repo)
	if err != nil {
		return nil, err
	}
	_, err = where.Comment(ctx, gh.Comment{
		Issue: number, Marker: marker(j), Body: say.TellText(&j.promotion, j.Outcome, j.Reason),
	})
	return nil, err
}
