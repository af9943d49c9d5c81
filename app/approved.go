package app

import (
	"context"
	"strings"

	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// approved takes a review that approves a promotion's pull request for a sign-off (semantics 4.4). It is one of the
// commit that was reviewed: of any other it is none. Nobody is answered; the promotion shows what came of it.
func (a *App) approved(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.Approved == nil {
		return nil, nil
	}
	var key store.StageKey
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		key, err = tx.Ledger.StageShowing(f.Repo, f.Approved.Number, f.Approved.SHA)
		return err
	})
	if err != nil || key.Stage == "" {
		return nil, err
	}
	return a.ask(ctx, request{
		Pipeline: key.Pipeline, Repo: f.Repo, Commands: []promotion.Command{{Verb: promotion.CmdApprove, Stage: key.Stage}},
		By: f.Approved.By, At: f.Approved.At, PullRepo: f.Repo, Pull: f.Approved.Number,
	})
}

// regrant forgets what people may do when GitHub says that it has changed, and looks up again who has given what still
// stands in the pipelines of that account (T13, T16).
func (a *App) regrant(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.People == "" {
		return nil, nil
	}
	a.rights.Forget()
	rows, err := a.rows(ctx)
	if err != nil {
		return nil, err
	}
	var all []record
	for _, row := range rows {
		if !strings.EqualFold(owner(row.Repo), string(f.People)) {
			continue
		}
		p, err := a.pipelines.compiled(row)
		if err != nil {
			return nil, err
		}
		lost, err := a.lostRights(ctx, row, p, true)
		if err != nil {
			return nil, err
		}
		all = append(all, lost)
	}
	return inOrder(all), nil
}
