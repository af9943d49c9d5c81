package ongithub

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"waybill/app/surface"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// rerun has check runs of ours made again, whoever asks, because GitHub waits for them until then. For a person it also
// returns a request for each of those that show a stage: to judge again the freight that the stage hosts, or else to
// compare the pipeline with GitHub.
func (g *Surface) rerun(ctx context.Context, from *handlers.From, e *handlers.Rerun) (input surface.Input, err error) {
	all, err := g.runsOn(ctx, from.Repo, e.SHA)
	for _, run := range all {
		if e.ID != 0 && !run.is(e.OurRun) {
			continue
		}
		again := surface.Input{Record: run.replace(e.ID)}
		if e.By.ID != 0 && run.view.Stage != "" {
			again.Requests = []surface.Request{g.request(run, run.judged(), e.By)}
		}
		input = input.And(again)
	}
	return input, err
}

// ourRun is a check run of ours as it should look now.
type ourRun struct {
	view store.View
	views.CheckView
	hosted bool // its stage hosts its freight
}

// runsOn returns our check runs on a commit, of all pipelines.
func (g *Surface) runsOn(ctx context.Context, repo promotion.Repo, commit promotion.SHA) (all []ourRun, err error) {
	err = g.Store.View(ctx, func(tx *store.Tx) error {
		all = nil
		found, err := tx.Views.ChecksOn(commit)
		if err != nil {
			return err
		}
		return work.RecordAll(found, func(v store.View) error {
			run := ourRun{view: v}
			if err := surface.ReadLook(&v, &run.CheckView); err != nil || run.Repo != repo {
				return err
			}
			run.hosted, err = hosted(tx, v)
			all = append(all, run)
			return err
		})
	})
	return all, err
}

// hosted reports whether the stage of a check run hosts its freight.
func hosted(tx *store.Tx, v store.View) (bool, error) {
	freight := strings.TrimPrefix(v.Surface, fmt.Sprintf("%s%d/%s/", views.CheckAddress, v.Pipeline, v.Stage))
	deployments, err := tx.Deployments.Of(v.Pipeline, promotion.FreightID(freight))
	return slices.ContainsFunc(deployments,
		func(d promotion.Deployment) bool { return d.Stage == v.Stage && !d.Ended() }), err
}

// is reports whether GitHub speaks of this run, or of one that it has replaced. GitHub knows whose the name is.
func (run *ourRun) is(r handlers.OurRun) bool { return r.Name == run.Name && run.Has(r.ExternalID) }

// replace returns the record that the run is to be made anew: the one that is there, or the one that was asked for. One
// that is not completed goes on.
func (run *ourRun) replace(asked int64) work.Record {
	return func(tx *store.Tx) error {
		v, err := tx.Views.ViewBySurface(run.view.Surface)
		if err != nil {
			return err
		}
		there, err := surface.Remote(&v)
		if err != nil {
			return err
		}
		upTo := max(there, asked)
		if was := stateOf(&v); was.Status != "" && was.Status != "completed" {
			upTo = 0
		}
		return tx.Views.ReplaceView(v.Surface, upTo)
	}
}

// judged returns the command that the request to make the run again stands for.
func (run *ourRun) judged() promotion.Command {
	c := promotion.Command{Verb: promotion.CmdRefresh, Stage: run.view.Stage}
	if run.hosted {
		c.Verb = promotion.CmdVerify
	}
	return c
}
