package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"waybill/app/api"
	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// dispatched records the freight of a report that came as a repository_dispatch. A sender may write to the repository,
// and reports for warehouses of that repository only. There is no answer: a refusal is in the log, and in the audit
// trail of the pipelines that the report may have been for.
func (in *Intake) dispatched(ctx context.Context, from *handlers.From, d *handlers.Dispatched) (work.Record, error) {
	subscribers := in.Pipelines.AcceptingReports(from.Repo)
	if d.Payload == nil || len(subscribers) == 0 {
		return nil, nil
	}
	report, to, err := addressed(from.Repo, d, subscribers)
	if err != nil {
		return refusedReport(ctx, from, subscribers, err), nil
	}
	subscribers = []pipelines.Compiled{to}
	w, made, err := report.Build(to.Pipeline, to.Row.Repo)
	switch {
	case err != nil:
	case w.Repo != from.Repo:
		err = fmt.Errorf("warehouse %s takes reports of %s, and this one comes from %s", w.Name, w.Repo, from.Repo)
	case w.Reporters.Stated:
		err = fmt.Errorf("warehouse %s says which workflows may report, and a repository_dispatch does not say where it "+
			"comes from; use a token of the workflow", w.Name)
	}
	if err != nil {
		return refusedReport(ctx, from, subscribers, err), nil
	}
	made.By = promotion.HandOf(promotion.ReporterPart, from.Sender, from.SenderIsBot)
	commit, err := in.learn.Reports.BuiltCommit(ctx, to.Row, w, made)
	if errors.Is(err, api.ErrNoCommit) {
		err = cmp.Or(in.notYet(from, fmt.Sprintf("commit %s", made.Commit)), err)
	}
	if refusal := report.Refusal(w, err); refusal != nil {
		return refusedReport(ctx, from, subscribers, refusal), nil
	}
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		line := report.Line(to.Row.ID, w, from.Sender, dispatchSource(from.Repo), "repository_dispatch of "+string(from.Repo))
		_, _, err := learn.RecordReport(tx, to.Row, w, made, commit, line)
		if refusal := report.Refusal(w, err); refusal != nil {
			return refusedReport(ctx, from, subscribers, refusal)(tx)
		}
		return err
	}, nil
}

// addressed reads a report, and finds its pipeline: the one that it names, or the only one with the warehouse.
func addressed(
	repo promotion.Repo, d *handlers.Dispatched, subscribers []pipelines.Compiled,
) (api.Report, pipelines.Compiled, error) {
	report, home, err := api.ReadDispatch(d.Payload)
	if err != nil {
		return report, pipelines.Compiled{}, err
	}
	if home == "" && len(subscribers) == 1 {
		return report, subscribers[0], nil
	}
	meant := slices.DeleteFunc(slices.Clone(subscribers), func(c pipelines.Compiled) bool {
		return home != "" && c.Row.Repo != home || c.Pipeline.Warehouse(promotion.WarehouseName(report.Warehouse)) == nil
	})
	switch len(meant) {
	case 0:
		return report, pipelines.Compiled{}, fmt.Errorf("no such pipeline takes reports of %s: those that do are %s", repo,
			pipelines.Homes(subscribers))
	case 1:
		return report, meant[0], nil
	}
	return report, pipelines.Compiled{}, errors.New("several pipelines have a warehouse of that name; " +
		"add `pipeline`, one of " + pipelines.Homes(meant))
}

// refusedReport records the refusal of a report with its reason.
func refusedReport(ctx context.Context, from *handlers.From, subscribers []pipelines.Compiled, why error) work.Record {
	zerolog.Ctx(ctx).Warn().Err(why).Str(work.KeyRepo, string(from.Repo)).Msg("a report is refused")
	return func(tx *store.Tx) error {
		return work.RecordAll(subscribers, func(c pipelines.Compiled) error {
			return tx.Audit.Log(store.Event{
				Pipeline: c.Row.ID, Kind: store.EventCommand, Word: "report", By: from.Sender, Source: dispatchSource(from.Repo),
				Outcome: string(promotion.Refused), Reason: promotion.Because(promotion.Malformed).With(why.Error()),
				Text: "repository_dispatch of " + string(from.Repo),
			})
		})
	}
}

func dispatchSource(repo promotion.Repo) string { return "dispatch:" + string(repo) }
