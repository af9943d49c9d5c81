package app

import (
	"context"
	"time"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"
)

// request is what somebody asks for at one time, on whatever surface.
type request struct {
	Repo     promotion.Repo // where it was asked: it tells which pipeline is meant
	Pipeline int64          // that is meant; 0: Repo tells
	Commands []promotion.Command
	By       promotion.Actor
	At       time.Time
	Surface  string         // where the answers go
	PullRepo promotion.Repo // the pull request that it stands on, if any
	Pull     int
	Reader   bool   // nobody knows who it is on GitHub: they may read, and no more
	Typed    string // the fingerprint of what was typed
}

// ask is the one door for commands, whatever surface they come from: it finds the pipeline that is meant and what the
// person may do on its home repository, wherever the command was given (semantics 4.6), and records a request for each
// command. The stage that is named decides, with the rights that there are then.
func (a *App) ask(ctx context.Context, w request) (record, error) {
	var all []record
	for _, c := range w.Commands {
		rec, err := a.askOne(ctx, w, c)
		if err != nil {
			return nil, err
		}
		if rec != nil {
			all = append(all, rec)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return inOrder(all), nil
}

func (a *App) askOne(ctx context.Context, w request, c promotion.Command) (record, error) {
	row, p, c := a.pipelines.meant(w.Pipeline, w.Repo, c)
	if p == nil || len(p.Stages) == 0 {
		return nil, nil
	}
	_, c = command.Address(p, c)
	permission, teams, lost, err := a.standing(ctx, row, p, w, c.Stage)
	if err != nil {
		return nil, err
	}
	r := promotion.Request{
		Command: c, By: w.By, At: w.At, Permission: permission, Teams: teams, Surface: w.Surface, PullRepo: w.PullRepo, Pull: w.Pull, Typed: w.Typed,
	}
	return inOrder([]record{lost, func(tx *store.Tx) error {
		_, err := tx.Ledger.RecordRequest(row.ID, r)
		if err == nil && c.Verb == promotion.CmdRefresh && command.Entitles(p.Policy, c.Verb, "", permission, teams) {
			err = tx.Clocks.AskResync(row.ID)
		}
		return err
	}}), nil
}
