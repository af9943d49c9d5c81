package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// checkSurface begins the name of a view of a check run, which is also where the answer to one of its buttons goes.
const checkSurface = "check:"

// pressed takes a button of a check run of ours for the command that it stands for. A run that we do not know, or that
// shows the pipeline files, has no buttons. Whatever comes of it, the run is shown anew.
func (a *App) pressed(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.Press == nil {
		return nil, nil
	}
	v, run, hosted, err := a.pressedRun(ctx, f)
	if err != nil || v.Stage == "" {
		return nil, err
	}
	rec, err := a.ask(ctx, request{
		Repo: f.Repo, Commands: []promotion.Command{run.command(f.Press, v.Stage, hosted)}, By: f.Press.By, At: a.clock(),
		Surface: v.Surface, PullRepo: run.Repo, Pull: run.Pull,
	})
	return inOrder([]record{rec, func(tx *store.Tx) error { return tx.Views.RefreshView(v.Surface) }}), err
}

// pressedRun finds what was pressed, and whether the stage hosts what it is about. Its zero value is nothing of ours: a
// number and a name can be made up, the view that is kept under them cannot.
func (a *App) pressedRun(ctx context.Context, f *handlers.Facts) (v store.View, run checkView, hosted bool, err error) {
	err = a.store.View(ctx, func(tx *store.Tx) error {
		if v, err = tx.Views.CheckByID(strconv.FormatInt(f.Press.Run, 10)); err != nil {
			return err
		}
		if err = looks(&v, &run); err != nil {
			return err
		}
		freight := strings.TrimPrefix(v.Surface, fmt.Sprintf("%s%d/%s/", checkSurface, v.Pipeline, v.Stage))
		deployments, err := tx.Ledger.DeploymentsOf(v.Pipeline, promotion.FreightID(freight))
		hosted = slices.ContainsFunc(deployments, func(s promotion.Deployment) bool { return s.Stage == v.Stage && !s.Ended() })
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return store.View{}, checkView{}, false, nil
	}
	if run.Repo != f.Repo || run.SHA != f.Press.SHA {
		return store.View{}, checkView{}, false, err
	}
	return v, run, hosted, err
}

// command returns what a button stands for. What the run does not offer, or no longer, comes back with its trouble: it
// is refused like everything else.
func (run checkView) command(p *handlers.Press, stage promotion.StageName, hosted bool) promotion.Command {
	c := promotion.Command{Verb: promotion.CommandVerb(p.Button), Stage: stage}
	if c.Verb == promotion.CmdRetry {
		c.Freight = run.Freight
	}
	offered := slices.ContainsFunc(run.Actions, func(a gh.Action) bool { return a.Identifier == p.Button })
	switch {
	case p.Button == "" && hosted:
		c.Verb = promotion.CmdVerify
	case p.Button == "":
		c.Verb = promotion.CmdRefresh
	case p.ExternalID != run.FullID():
		_, before, _ := strings.Cut(p.ExternalID, "/")
		c.Trouble = fmt.Sprintf("the stage has moved on from %s to %s; look again", before, run.ExternalID)
	case !offered:
		c.Trouble = "there is no such button here now; look again"
	case c.Verb == promotion.CmdRollback && !hosted:
		c.Trouble = "the stage hosts something else by now; look there"
	}
	return c
}

// replyOnCheck shows the answer to a button on its check run.
func (a *App) replyOnCheck(j *job) record {
	return func(tx *store.Tx) error {
		r, _, err := tx.Ledger.Request(j.Pipeline, j.Request)
		if err != nil {
			return err
		}
		v, err := tx.Views.ViewBySurface(j.Surface)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		var run checkView
		if err == nil {
			err = looks(&v, &run)
		}
		if err != nil {
			return err
		}
		run.Answer = say.PressText(r, j.Outcome, j.Reason)
		return want(tx, v, run)
	}
}
