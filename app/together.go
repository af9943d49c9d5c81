package app

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/store"
)

// showing is a view that is being brought to GitHub with others.
type showing struct {
	*store.View
	surface gh.Surface
	err     error
}

// showTogether brings check runs and deployments to GitHub, those of a repository in one request, and returns the error
// of each.
func (a *App) showTogether(ctx context.Context, views []store.View) []error {
	all := make([]showing, len(views))
	of := map[promotion.Repo][]*showing{}
	for i := range views {
		repo, surface, err := a.surfaceOf(&views[i])
		all[i] = showing{View: &views[i], surface: surface, err: err}
		if err == nil {
			of[repo] = append(of[repo], &all[i])
		}
	}
	for _, repo := range slices.Sorted(maps.Keys(of)) {
		a.showIn(ctx, repo, of[repo])
	}
	errs := make([]error, len(all))
	for i := range all {
		errs[i] = all[i].err
	}
	return errs
}

// showIn brings views of one repository to GitHub.
func (a *App) showIn(ctx context.Context, repo promotion.Repo, some []*showing) {
	client, err := a.client(repo)
	surfaces := make([]gh.Surface, len(some))
	for i, one := range some {
		surfaces[i], one.err = one.surface, err
	}
	if err != nil {
		return
	}
	for i, saved := range client.Save(ctx, surfaces...) {
		some[i].RemoteID, some[i].Node, some[i].err = strconv.FormatInt(saved.ID, 10), saved.Node, saved.Err
	}
}

// surfaceOf returns what GitHub is to show of a view, and where.
func (a *App) surfaceOf(v *store.View) (promotion.Repo, gh.Surface, error) {
	id, err := remote(v)
	if err != nil {
		return "", nil, err
	}
	known := gh.Known{ID: id, Node: v.Node}
	if v.Kind == viewDeployment {
		var look deploymentView
		err := looks(v, &look)
		look.Known, look.Fresh = known, a.first(v, look.Merged)
		return look.Repo, &look.Deployment, err
	}
	var run checkView
	err = looks(v, &run)
	run.Known, run.Fresh = known, v.Attempts == 1 && id == 0
	if run.Answer != "" {
		run.Summary += "\n---\n" + run.Answer + "\n"
	}
	return run.Repo, &run.CheckRun, err
}

// first reports whether a view cannot have been shown before: this is the first try, and what it is about happened
// after the program was started, so that no database restored from a backup lacks it, and too lately for retention to
// have removed it.
func (a *App) first(v *store.View, began time.Time) bool {
	return v.Attempts == 1 && v.RemoteID == "" && began.After(a.started) && a.clock().Sub(began) < a.forgetting.keep.Facts
}
