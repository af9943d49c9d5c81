package ongithub

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/handlers"
	"waybill/promotion"
)

// pressed returns the request of a button on one of our check runs. A run that is not ours, or that of the pipeline
// files, has no buttons. A page that a person has open may show a run that another one has replaced since.
func (g *Surface) pressed(ctx context.Context, from *handlers.From, e *handlers.Press) (surface.Input, error) {
	all, err := g.runsOn(ctx, from.Repo, e.SHA)
	if err != nil {
		return surface.Input{}, err
	}
	i := slices.IndexFunc(all, func(run ourRun) bool { return run.is(e.OurRun) && run.view.Stage != "" })
	if i < 0 {
		return surface.Input{}, nil
	}
	r := g.request(all[i], commandOf(&all[i], e), e.By)
	r.Act = fmt.Sprintf("button/%d/%s/%s/%d", e.ID, e.ExternalID, e.Button, e.By.ID)
	return surface.InputOf(r), nil
}

// request returns the request of a person for a command about a check run, which shows the answer.
func (g *Surface) request(run ourRun, c promotion.Command, by promotion.Actor) surface.Request {
	return surface.Request{
		Pipeline: run.view.Pipeline, Repo: run.Repo, Commands: []promotion.Command{c}, By: by, At: g.Clock(),
		Surface: run.view.Surface, PullRepo: run.Repo, Pull: run.Pull,
	}
}

// commandOf returns the command of a button. If the run does not offer it, or not any more, the command has its
// trouble, and is refused like any other.
func commandOf(run *ourRun, p *handlers.Press) promotion.Command {
	c := promotion.Command{Verb: promotion.CommandVerb(p.Button), Stage: run.view.Stage}
	if plan, signs := strings.CutPrefix(p.Button, string(promotion.CmdApprove)+" "); signs {
		c.Verb, c.Plan = promotion.CmdApprove, plan
	}
	if c.Verb == promotion.CmdRetry {
		c.Freight = run.Freight
	}
	offered := slices.ContainsFunc(run.Actions, func(a gh.Action) bool { return a.Identifier == p.Button })
	switch {
	case gh.Stands(p.ExternalID) != gh.Stands(run.ExternalID()):
		c.Trouble = fmt.Sprintf("the check shows %s now, this button was for %s; reload the page",
			promotionIn(run.ExternalID()), promotionIn(p.ExternalID))
	case !offered:
		c.Trouble = "this button is gone; reload the page"
	case c.Verb == promotion.CmdRollback && !run.hosted:
		c.Trouble = fmt.Sprintf("%s has moved on from %s; use the buttons of what it hosts, or /rollback %s to FREIGHT",
			c.Stage, run.Freight, c.Stage)
	}
	return c
}

// promotionIn names the promotion that an external id is about.
func promotionIn(externalID string) string {
	stands := gh.Stands(externalID)
	if number := stands[strings.LastIndex(stands, " ")+1:]; strings.HasPrefix(number, "p") && number != stands {
		return "promotion " + number[1:]
	}
	return "no promotion"
}
