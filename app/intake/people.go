package intake

import (
	"context"
	"strings"

	"waybill/app/work"
	"waybill/handlers"
)

// peopleChanged drops the known rights when GitHub says that they have changed, and looks up again those of the people
// who have given standing approvals in the account's pipelines (T13, T16).
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
		if !strings.EqualFold(row.Repo.Owner(), string(from.Account.Login)) {
			continue
		}
		p, err := in.Pipelines.Compiled(row)
		if err != nil {
			return nil, err
		}
		lost, err := in.learn.Requests.LostRights(ctx, row, p)
		if err != nil {
			return nil, err
		}
		all = append(all, lost)
	}
	return work.InOrder(all), nil
}
