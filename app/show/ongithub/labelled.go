package ongithub

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"waybill/app/surface"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// labelled returns the request of a person's label. A label that promotes needs freight: until the pull request is
// freight, the label is kept with its person, whose rights are looked up when the request is made.
func (g *Surface) labelled(ctx context.Context, from *handlers.From, l *handlers.Label) (surface.Input, error) {
	if strings.EqualFold(l.Name, surface.HoldLabel) {
		pipeline, c := g.holdByLabel(from.Repo, l)
		return surface.InputOf(byLabel(pipeline, from.Repo, l, c)), nil
	}
	if !surface.PromotesTo(l.Name) || l.Ours != "" {
		return surface.Input{}, nil
	}
	asks := byLabel(0, from.Repo, l, surface.PromoteCommand(l.Name))
	late := asks.Late(g.Clock())
	known, err := g.isFreight(ctx, from.Repo, l)
	switch {
	case err != nil:
		return surface.Input{}, err
	case l.Gone && late:
		return surface.Input{}, nil // the request that it took back, if there is one, is of a later label
	case !l.Gone && (known || late):
		return surface.InputOf(asks), nil
	}
	return surface.Input{Record: func(tx *store.Tx) error {
		if fresh, err := tx.Requests.Give(asks.Act); err != nil || !fresh {
			return err
		}
		if l.Gone {
			return tx.Requests.ForgetLabel(from.Repo, l.Number, l.Name)
		}
		return tx.Requests.KeepLabel(store.LabelRequest{
			Repo: from.Repo, Number: l.Number, Label: l.Name, Head: l.Head, By: l.By, At: tx.Now,
		})
	}}, nil
}

// byLabel returns the request of a label. GitHub tells no id of what a person does with a label, but who it was, and
// when the pull request was changed by it.
func byLabel(pipeline int64, repo promotion.Repo, l *handlers.Label, c promotion.Command) surface.Request {
	r := surface.RequestByLabel(pipeline, repo, l.Number, l.By, l.At, c)
	r.Act = fmt.Sprintf("label/%s#%d/%s/%t/%d/%d", repo, l.Number, l.Name, l.Gone, l.By.ID, l.At.Unix())
	return r
}

// holdByLabel returns the command of adding or removing the label of a hold: on a pull request of ours it is about its
// stage, on any other about the whole pipeline. The pipeline is 0 where the repository tells which one is meant.
func (g *Surface) holdByLabel(repo promotion.Repo, l *handlers.Label) (pipeline int64, c promotion.Command) {
	c = promotion.Command{Verb: promotion.CmdHold, All: true}
	if id, stage := promotion.StageOfBranch(l.Ours); stage != "" {
		pipeline, c.Stage, c.All = cmp.Or(id, g.Pipelines.IDByHome(repo)), stage, false
	}
	if l.Gone {
		c.Verb = promotion.CmdUnhold
	}
	return pipeline, c
}

// isFreight reports whether a pull request is complete freight of the pipeline that a label means.
func (g *Surface) isFreight(ctx context.Context, repo promotion.Repo, l *handlers.Label) (known bool, err error) {
	row, p, _ := g.Pipelines.ForCommand(0, repo, surface.PromoteCommand(l.Name))
	if p == nil {
		return false, nil
	}
	err = g.Store.View(ctx, func(tx *store.Tx) error {
		all, err := tx.Freight.ByPull(row.ID, repo, l.Number)
		known = slices.ContainsFunc(all, func(f promotion.Freight) bool {
			w := p.Warehouse(f.Warehouse)
			return w == nil || len(w.Awaits(f)) == 0
		})
		return err
	})
	return known, err
}
