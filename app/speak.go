package app

import (
	"context"
	"fmt"

	"waybill/app/gh"
	"waybill/promotion"
)

// tell writes a comment on the freight's source pull request. The comment carries its effect's key, so that it is found
// again when the answer to it was lost.
func (a *App) tell(ctx context.Context, j *job) (record, error) {
	if j.freight.Number == 0 {
		return nil, nil // freight without a pull request is told about by its check run
	}
	source, err := a.client(j.row.Installation, j.freight.Repo)
	if err != nil {
		return nil, err
	}
	_, err = source.Comment(ctx, gh.Comment{
		Issue: j.freight.Number, Marker: mark(j), Body: promotion.TellText(&j.promotion, j.Outcome, j.Reason),
	})
	return nil, err
}

// mark is the hidden line by which a comment is known to be that of an effect.
func mark(j *job) string { return fmt.Sprintf("<!-- waybill:%s -->", j.Key()) }
