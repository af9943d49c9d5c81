package ongithub

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/views"
	"waybill/promotion"
	"waybill/store"
)

// showing is a view that is brought to GitHub with others.
type showing struct {
	*store.View
	surface gh.Surface
	err     error
}

// showTogether brings check runs, deployments and texts of pull requests to GitHub, those of a repository in one
// request, and returns the error of each.
func (g *Surface) showTogether(ctx context.Context, views []store.View) []error {
	all := make([]showing, len(views))
	of := map[promotion.Repo][]*showing{}
	for i := range views {
		repo, address, err := g.surfaceOf(&views[i])
		all[i] = showing{View: &views[i], surface: address, err: err}
		if err == nil {
			of[repo] = append(of[repo], &all[i])
		}
	}
	for _, repo := range slices.Sorted(maps.Keys(of)) {
		g.showIn(ctx, repo, of[repo])
	}
	errs := make([]error, len(all))
	for i := range all {
		errs[i] = all[i].err
	}
	return errs
}

// showIn brings views of one repository to GitHub.
func (g *Surface) showIn(ctx context.Context, repo promotion.Repo, some []*showing) {
	client, err := g.Client(repo)
	addresses := make([]gh.Surface, len(some))
	for i, one := range some {
		addresses[i], one.err = one.surface, err
	}
	if err != nil {
		return
	}
	for i, saved := range client.Surfaces.Save(ctx, addresses...) {
		some[i].RemoteID, some[i].Node, some[i].err = strconv.FormatInt(saved.ID, 10), saved.Node, saved.Err
	}
}

// surfaceOf returns the check run, deployment or text of a view, and its repository.
func (g *Surface) surfaceOf(v *store.View) (promotion.Repo, gh.Surface, error) {
	id, err := surface.Remote(v)
	if err != nil {
		return "", nil, err
	}
	known := gh.Known{ID: id, Node: v.Node}
	if v.Kind == surface.KindDeployment {
		var look views.DeploymentView
		err := surface.ReadLook(v, &look)
		look.Known, look.Fresh = known, g.first(v, look.Merged)
		return look.Repo, &look.Deployment, err
	}
	if v.Kind == surface.KindBody {
		var look views.BodyView
		err := surface.ReadLook(v, &look)
		look.Known = known
		return look.Repo, &look.PullText, err
	}
	var run views.CheckView
	err = surface.ReadLook(v, &run)
	run.Known, run.Outdated = known, v.Outdated
	run.Was, run.Fresh = stateOf(v), v.Attempts == 1 && id <= v.Outdated && (id != 0 || g.begins(run.Merged))
	if run.Answer != "" {
		run.Summary += "\n---\n" + run.Answer + "\n"
	}
	return run.Repo, &run.CheckRun, err
}

// stateOf returns the state that the check run of a view has on GitHub; the zero value if an earlier try may have
// changed it, or if it shows nothing that is known.
func stateOf(v *store.View) gh.RunState {
	var shown views.CheckView
	if v.Attempts > 1 || json.Unmarshal([]byte(v.Shown), &shown) != nil {
		return gh.RunState{}
	}
	return gh.RunState{Status: shown.Status, Conclusion: shown.Conclusion}
}

// begins reports whether a check run cannot be older than the program: its freight was not merged before the start, in
// GitHub's whole seconds, so that no database restored from a backup lacks it. Of freight without a known time it is
// taken for granted.
func (g *Surface) begins(merged time.Time) bool {
	return merged.IsZero() || !merged.Before(g.startedThere().Truncate(time.Second))
}

// startedThere returns when the program was started, by GitHub's clock.
func (g *Surface) startedThere() time.Time { return g.started.Add(g.Hub.Ahead()) }

// first reports whether a view cannot have been shown before: this is the first try, and its subject began after the
// program was started, so that no database restored from a backup lacks it, and too late for retention to have removed
// it.
func (g *Surface) first(v *store.View, began time.Time) bool {
	return v.Attempts == 1 && v.RemoteID == "" && began.After(g.startedThere()) && g.Clock().Sub(began) < g.keep
}
