package intake

import (
	"context"
	"strings"

	"waybill/app/work"
	"waybill/handlers"
)

// peopleChanged forgets what people may do when GitHub says that it has changed, and looks up again who has given what
// still stands in the pipelines of that account (T13, T16).
func (in *Intake) peopleChanged(
	ctx context.Context, from *handlers.From, _ *handlers.PeopleChanged,
) (work.Record, error) {
	in.Rights.Forget()
	rows, err := in.Rows(ctx)
	if err != nil {
		return nil, err
	}
	var all []work.Record
	for _, row := range rows {
		if !strings.EqualFold(row.Repo.Owner(), string(from.Account)) {
			continue
		}
		p, err := in.Pipelines.Compiled(row)
		if err != nil {
			return nil, err
		}
		lost, err := in.learn.Requests.LostRights(ctx, row, p, true)
		if err != nil {
			return nil, err
		}
		all = append(all, lost)
	}
	return work.InOrder(all), nil
}
