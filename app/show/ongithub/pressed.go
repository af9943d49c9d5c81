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

// pressed returns the request of a button on one of our check runs, and has the run shown again. An unknown run, or
// that of the pipeline files, has no buttons.
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

// pressedRun returns the check run of a button, and whether the stage hosts its freight. It returns the zero value for
// a run that is not ours: a sender can invent a number and a name, but not the view that is stored under them.
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

// commandOf returns the command of a button. If the run does not offer it, or not any more, the command has its
// trouble, and is refused like any other.
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
