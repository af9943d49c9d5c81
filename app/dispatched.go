package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"waybill/app/api"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// dispatched makes freight of a report that came as a repository_dispatch. Whoever may dispatch may write to the
// repository that it comes from, and reports for warehouses of that repository only. Nobody waits for an answer: what
// is refused stands in the audit trail of the pipelines that it may have been for, and in the log.
func (a *App) dispatched(ctx context.Context, f *handlers.Facts) (record, error) {
	subscribers := a.pipelines.reportedOf(f.Repo)
	if f.Report == nil || len(subscribers) == 0 {
		return nil, nil
	}
	report, to, err := addressed(f, subscribers)
	if err != nil {
		return refusedReport(ctx, f, subscribers, err), nil
	}
	subscribers = []compiled{to}
	w, made, err := report.Build(to.pipeline, to.row.Repo)
	switch {
	case err != nil:
	case w.Repo != f.Repo:
		err = fmt.Errorf("warehouse %s takes reports of %s, and this one comes from %s", w.Name, w.Repo, f.Repo)
	case w.Reporters.Stated:
		err = fmt.Errorf("warehouse %s says which workflows may report, and a repository_dispatch does not say where it comes from; use a token of the workflow", w.Name)
	}
	if err != nil {
		return refusedReport(ctx, f, subscribers, err), nil
	}
	commit, err := a.builtCommit(ctx, to.row, w, made)
	if refusal := report.Refusal(w, err); refusal != nil {
		return refusedReport(ctx, f, subscribers, refusal), nil
	}
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		line := report.Line(to.row.ID, w, f.Sender, dispatchSource(f), "repository_dispatch of "+string(f.Repo))
		_, _, err := recordReport(tx, to.row, w, made, commit, line)
		if refusal := report.Refusal(w, err); refusal != nil {
			return refusedReport(ctx, f, subscribers, refusal)(tx)
		}
		return err
	}, nil
}

// addressed reads a report, and finds which of the pipelines it is for: the one that it names, or the only one that has
// the warehouse.
func addressed(f *handlers.Facts, subscribers []compiled) (api.Report, compiled, error) {
	report, home, err := api.ReadDispatch(f.Report)
	if err != nil {
		return report, compiled{}, err
	}
	if home == "" && len(subscribers) == 1 {
		return report, subscribers[0], nil
	}
	meant := slices.DeleteFunc(slices.Clone(subscribers), func(c compiled) bool {
		return home != "" && c.row.Repo != home || c.pipeline.Warehouse(promotion.WarehouseName(report.Warehouse)) == nil
	})
	switch len(meant) {
	case 0:
		return report, compiled{}, fmt.Errorf("no such pipeline takes reports of %s: those that do are %s", f.Repo, homes(subscribers))
	case 1:
		return report, meant[0], nil
	}
	return report, compiled{}, errors.New("several pipelines have a warehouse of that name; add `pipeline`, one of " + homes(meant))
}

// refusedReport notes that a report was refused, and why.
func refusedReport(ctx context.Context, f *handlers.Facts, subscribers []compiled, why error) record {
	zerolog.Ctx(ctx).Warn().Err(why).Str(keyRepo, string(f.Repo)).Msg("a report is refused")
	return func(tx *store.Tx) error {
		return recordAll(subscribers, func(c compiled) error {
			return tx.Audit.Log(store.Event{
				Pipeline: c.row.ID, Kind: store.EventCommand, Word: "report", By: f.Sender, Source: dispatchSource(f), Outcome: string(promotion.Refused),
				Reason: promotion.Because(promotion.Malformed).With(why.Error()), Text: "repository_dispatch of " + string(f.Repo),
			})
		})
	}
}

func dispatchSource(f *handlers.Facts) string { return "dispatch:" + string(f.Repo) }
