package ongithub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/views"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// pressed takes a button of a check run of ours for the command that it stands for. A run that we do not know, or that
// shows the pipeline files, has no buttons. Whatever comes of it, the run is shown anew.
func (g *Surface) pressed(ctx context.Context, from *handlers.From, e *handlers.Press) (surface.Input, error) {
	v, run, hosted, err := g.pressedRun(ctx, from, e)
	if err != nil || v.Stage == "" {
		return surface.Input{}, err
	}
	input := surface.InputOf(surface.Request{
		Repo: from.Repo, Commands: []promotion.Command{commandOf(&run, e, v.Stage, hosted)}, By: e.By, At: g.Clock(),
		Surface: v.Surface, PullRepo: run.Repo, Pull: run.Pull,
	})
	input.Record = func(tx *store.Tx) error { return tx.Views.RefreshView(v.Surface) }
	return input, nil
}

// pressedRun finds what was pressed, and whether the stage hosts what it is about. Its zero value is nothing of ours: a
// number and a name can be made up, the view that is kept under them cannot.
func (g *Surface) pressedRun(
	ctx context.Context, from *handlers.From, e *handlers.Press,
) (v store.View, run views.CheckView, hosted bool, err error) {
	err = g.Store.View(ctx, func(tx *store.Tx) error {
		if v, err = tx.Views.CheckByID(strconv.FormatInt(e.Run, 10)); err != nil {
			return err
		}
		if err = surface.ReadLook(&v, &run); err != nil {
			return err
		}
		freight := strings.TrimPrefix(v.Surface, fmt.Sprintf("%s%d/%s/", views.CheckAddress, v.Pipeline, v.Stage))
		deployments, err := tx.Ledger.DeploymentsOf(v.Pipeline, promotion.FreightID(freight))
		hosted = slices.ContainsFunc(deployments,
			func(s promotion.Deployment) bool { return s.Stage == v.Stage && !s.Ended() })
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return store.View{}, views.CheckView{}, false, nil
	}
	if run.Repo != from.Repo || run.SHA != e.SHA {
		return store.View{}, views.CheckView{}, false, err
	}
	return v, run, hosted, err
}

// commandOf returns what a button stands for. What the run does not offer, or no longer, comes back with its trouble:
// it is refused like everything else.
func commandOf(run *views.CheckView, p *handlers.Press, stage promotion.StageName, hosted bool) promotion.Command {
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
