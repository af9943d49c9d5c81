package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"
)

// The labels by which people ask for something.
const (
	promoteLabel = "promote/" // and the stage, or one target of it
	holdLabel    = "waybill/hold"
)

// labelSurface begins the place where what was asked by a label is answered: "label:acme/api#142".
const labelSurface = "label:"

// labelled takes a label of a person for the command that it stands for. To promote by label needs freight: until the
// pull request is that, the request is kept, with who has it, and their rights are looked up when its time has come.
func (a *App) labelled(ctx context.Context, f *handlers.Facts) (record, error) {
	switch l := f.Label; {
	case l == nil:
		return nil, nil
	case strings.EqualFold(l.Name, holdLabel):
		pipeline, c := a.holdByLabel(f.Repo, l)
		return a.askByLabel(ctx, pipeline, f.Repo, l.Number, l.By, c)
	case !promotesTo(l.Name) || l.Ours != "":
		return nil, nil
	case l.Gone:
		return func(tx *store.Tx) error { return tx.Facts.ForgetLabelRequest(f.Repo, l.Number, l.Name) }, nil
	}
	known, err := a.isFreight(ctx, f.Repo, f.Label)
	if err != nil {
		return nil, err
	}
	if known {
		return a.askByLabel(ctx, 0, f.Repo, f.Label.Number, f.Label.By, promoteCommand(f.Label.Name))
	}
	return func(tx *store.Tx) error {
		return tx.Facts.KeepLabelRequest(store.LabelRequest{Repo: f.Repo, Number: f.Label.Number, Label: f.Label.Name, By: f.Label.By, At: tx.Now})
	}, nil
}

func promotesTo(label string) bool {
	return len(label) > len(promoteLabel) && strings.EqualFold(label[:len(promoteLabel)], promoteLabel)
}

func promoteCommand(label string) promotion.Command {
	stage, target := command.PlaceNamed(label[len(promoteLabel):])
	return promotion.Command{Verb: promotion.CmdPromote, Stage: stage, Target: target}
}

// holdByLabel is what it means to put the label of a hold on a pull request, or to take it off: on one of ours it is
// about its stage, on any other about the whole pipeline. The pipeline is 0 where the repository tells which one is
// meant.
func (a *App) holdByLabel(repo promotion.Repo, l *handlers.Label) (pipeline int64, c promotion.Command) {
	c = promotion.Command{Verb: promotion.CmdHold, All: true}
	if id, stage := promotion.StageOfBranch(l.Ours); stage != "" {
		pipeline, c.Stage, c.All = cmp.Or(id, a.pipelines.living(repo)), stage, false
	}
	if l.Gone {
		c.Verb = promotion.CmdUnhold
	}
	return pipeline, c
}

func (a *App) askByLabel(
	ctx context.Context, pipeline int64, repo promotion.Repo, number int, by promotion.Actor, c promotion.Command,
) (record, error) {
	return a.ask(ctx, request{
		Pipeline: pipeline, Repo: repo, Commands: []promotion.Command{c}, By: by, At: a.clock(), PullRepo: repo, Pull: number,
		Surface: labelSurface + pullSurface{Repo: repo, Number: number}.String(),
	})
}

// isFreight reports whether a pull request has become freight of the pipeline that a label means, and is complete.
func (a *App) isFreight(ctx context.Context, repo promotion.Repo, l *handlers.Label) (known bool, err error) {
	row, p, _ := a.pipelines.meant(0, repo, promoteCommand(l.Name))
	if p == nil {
		return false, nil
	}
	err = a.store.View(ctx, func(tx *store.Tx) error {
		all, err := tx.Facts.FreightByPull(row.ID, repo, l.Number)
		known = slices.ContainsFunc(all, func(f promotion.Freight) bool {
			w := p.Warehouse(f.Warehouse)
			return w == nil || len(w.Awaits(f)) == 0
		})
		return err
	})
	return known, err
}

// labelRequestOf asks for what people have wished of the pull request that a freight was, once it is complete with the
// images that are known.
func (a *App) labelRequestOf(ctx context.Context, w *promotion.Warehouse, f promotion.Freight) (record, error) {
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		f, err = tx.Facts.WithImages(w, f)
		return err
	})
	if err != nil || f.Pull == 0 || len(w.Awaits(f)) > 0 {
		return nil, err
	}
	return a.askedByLabel(ctx, f.Repo, f.Pull)
}

// askedByLabel asks for what people have wished of a pull request before it became freight.
func (a *App) askedByLabel(ctx context.Context, repo promotion.Repo, number int) (record, error) {
	var wishes []store.LabelRequest
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		wishes, err = tx.Facts.LabelRequests(repo, number)
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []record
	for _, w := range wishes {
		rec, err := a.askByLabel(ctx, 0, repo, number, w.By, promoteCommand(w.Label))
		if err != nil {
			return nil, err
		}
		all = append(all, rec, func(tx *store.Tx) error { return tx.Facts.ForgetLabelRequest(repo, number, w.Label) })
	}
	return inOrder(all), nil
}

// replyToLabel takes off what has been consumed or refused, and says what was refused. The label of a hold stays as
// long as the hold does, and comes back where nobody lifts it.
func (a *App) replyToLabel(ctx context.Context, j *job, surface string) (record, error) {
	to, err := parsePullSurface(surface)
	if err != nil {
		return nil, err
	}
	var r promotion.Request
	if err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		r, _, err = tx.Ledger.Request(j.Pipeline, j.Request)
		return err
	}); err != nil {
		return nil, err
	}
	where, err := a.client(to.Repo)
	if err != nil {
		return nil, err
	}
	refused := j.Outcome == string(promotion.Refused)
	switch {
	case r.Command.Verb == promotion.CmdPromote:
		err = where.RemoveLabel(ctx, to.Number, promoteLabel+r.Command.Place())
	case r.Command.Verb == promotion.CmdHold && refused:
		err = where.RemoveLabel(ctx, to.Number, holdLabel)
	case r.Command.Verb == promotion.CmdUnhold && refused:
		err = where.AddLabels(ctx, to.Number, []string{holdLabel})
	}
	if err != nil || !refused {
		return nil, err
	}
	return a.replyOnPull(ctx, j, surface)
}
