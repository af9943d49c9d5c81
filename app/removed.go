package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// What we made and somebody removed is made again as long as the promotion lasts that it shows (semantics 5.9): a
// comment and a label at once, because GitHub tells of that, and what it does not tell of at the next resync. A pull
// request that somebody closed is another matter: that is a decision.

// placed is where a view is looked at, and which labels it means.
type placed struct {
	Repo   promotion.Repo
	Number int
	Labels []string
}

// removed takes note of a comment or a label of ours that somebody has removed.
func (a *App) removed(_ context.Context, f *handlers.Facts) (record, error) {
	r := f.Removed
	if r == nil {
		return nil, nil
	}
	return func(tx *store.Tx) error {
		surface := commentSurface(f.Repo, r.Number)
		if r.Label != "" {
			surface = labelsSurface(f.Repo, r.Number)
		}
		v, err := tx.Views.ViewBySurface(surface)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		lasting, err := a.lasting(tx, v.Pipeline)
		switch {
		case err != nil || !slices.ContainsFunc(lasting, func(one store.View) bool { return one.Surface == v.Surface }):
			return err
		case r.Label != "":
			return lostLabels(tx, v, func(name string) bool { return name == r.Label })
		case v.RemoteID == strconv.FormatInt(r.Comment, 10):
			return lost(tx, v, "")
		}
		return nil
	}, nil
}

// rereadShown looks whether what shows the promotions that last is still there.
func (a *App) rereadShown(ctx context.Context, l *look) (record, error) {
	var lasting []store.View
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		lasting, err = a.lasting(tx, l.row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	in := map[promotion.Repo][]store.View{}
	for i := range lasting {
		var at placed
		if err := looks(&lasting[i], &at); err != nil {
			return nil, err
		}
		in[at.Repo] = append(in[at.Repo], lasting[i])
	}
	var all []record
	for repo, views := range in {
		err := a.lookIn(ctx, l, repo, func(client *gh.Client) error {
			rec, err := rereadShownIn(ctx, client, views)
			all = append(all, rec)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return inOrder(all), nil
}

// rereadShownIn looks in one repository, in one request.
func rereadShownIn(ctx context.Context, client *gh.Client, views []store.View) (record, error) {
	var nodes []string
	var pulls []int
	for i := range views {
		var at placed
		switch err := looks(&views[i], &at); {
		case err != nil:
			return nil, err
		case views[i].Kind == viewLabels:
			pulls = append(pulls, at.Number)
		case views[i].Node != "":
			nodes = append(nodes, views[i].Node)
		}
	}
	there, labels, err := client.Present(ctx, nodes, pulls)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		return recordAll(views, func(v store.View) error {
			if v.Kind == viewLabels {
				var at placed
				err := looks(&v, &at)
				return errors.Join(err, lostLabels(tx, v, func(name string) bool { return !slices.Contains(labels[at.Number], name) }))
			}
			if v.Node == "" || there[v.Node] {
				return nil
			}
			return lost(tx, v, "")
		})
	}, nil
}

// lostLabels notes that labels were taken off a pull request that a view has put there.
func lostLabels(tx *store.Tx, v store.View, gone func(name string) bool) error {
	var look labelsView
	if err := looks(&v, &look); err != nil {
		return err
	}
	left := look
	left.Labels = slices.DeleteFunc(slices.Clone(look.Labels), gone)
	if len(left.Labels) == len(look.Labels) {
		return nil
	}
	text, err := json.Marshal(left)
	return errors.Join(err, lost(tx, v, string(text)))
}

// lost has a view made again of which something is left, or tells that this has been done often enough.
func lost(tx *store.Tx, v store.View, left string) error {
	given, err := tx.Views.LostView(&v, left)
	if err != nil || !given {
		return err
	}
	return tx.Audit.Log(store.Event{
		Kind: store.EventAlert, Pipeline: v.Pipeline, Stage: v.Stage, Word: "removed", Source: "github",
		Text: fmt.Sprintf("somebody removes %s again and again; it is made again when there is something new to show", v.Surface),
	})
}

// lasting returns the views that show the promotions of a pipeline that have not ended, as far as they show what they
// should.
func (a *App) lasting(tx *store.Tx, pipeline int64) ([]store.View, error) {
	active, err := tx.Ledger.ActivePromotions(pipeline)
	if err != nil {
		return nil, err
	}
	var all []store.View
	for _, p := range active {
		surfaces, err := surfacesOf(tx, pipeline, p)
		if err != nil {
			return nil, err
		}
		for _, surface := range surfaces {
			v, err := tx.Views.ViewBySurface(surface)
			if errors.Is(err, store.ErrNotFound) || err == nil && (v.Shown != v.Wanted || slices.ContainsFunc(all, func(o store.View) bool { return o.Surface == surface })) {
				continue
			}
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
	}
	return all, nil
}

// surfacesOf names everything that may show a promotion on GitHub.
func surfacesOf(tx *store.Tx, pipeline int64, p promotion.Promotion) ([]string, error) {
	f, err := tx.Facts.Freight(pipeline, p.Freight.ID)
	if err != nil {
		return nil, err
	}
	all := []string{checkOf(pipeline, p.Stage, p.Freight.ID), deploymentSurface(pipeline, p.Number)}
	targets, err := tx.Views.ViewsUnder(deploymentSurface(pipeline, p.Number))
	if err != nil {
		return nil, err
	}
	for _, v := range targets {
		all = append(all, v.Surface)
	}
	if f.Pull != 0 {
		all = append(all, commentSurface(f.Repo, f.Pull), labelsSurface(f.Repo, f.Pull))
	}
	attempt, err := tx.Ledger.Attempt(pipeline, p.Number)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return all, nil
	case err == nil && attempt.Pull != 0:
		all = append(all, headSurface(pipeline, p.Stage, attempt.Made.Head), commentSurface(attempt.Files.Repo, attempt.Pull))
	}
	return all, err
}
