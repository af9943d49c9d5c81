package intake

import (
	"context"
	"errors"
	"strings"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/store"
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
		lost, err := in.lostRights(ctx, row)
		if err != nil {
			return nil, err
		}
		all = append(all, lost)
	}
	return work.InOrder(all), nil
}

// lostRights asks who has lost a right in a pipeline. One that cannot be asked about, because its home is out of reach
// or its stored files are not understood, keeps no other back: nothing of it is merged before the rights are asked for.
func (in *Intake) lostRights(ctx context.Context, row store.PipelineRow) (work.Record, error) {
	p, err := in.Pipelines.Compiled(row)
	if err != nil {
		zerolog.Ctx(ctx).Warn().Err(err).Str(work.KeyRepo, string(row.Repo)).Msg("not asked who has lost a right")
		return nil, nil
	}
	lost, err := in.learn.Requests.LostRights(ctx, row, p)
	if errors.Is(err, gh.ErrNoAccess) {
		return nil, nil
	}
	return lost, err
}
