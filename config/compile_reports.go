package config

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"waybill/promotion"
)

// compileReports works out which runs of workflows may report freight of a warehouse.
func compileReports(r *reader, w *promotion.Warehouse, f reportsFile, home promotion.Branch) {
	w.Repo = promotion.Repo(f.repo.or(string(home.Repo)))
	w.Reporters = promotion.Reporters{
		Branches: refGlobs(r.key("branches"), f.branches), Tags: refGlobs(r.key("tags"), f.tags),
		Workflow: f.workflow.or(""), Environment: f.environment.or(""),
		Stated: f.branches.given() || f.tags.given() || f.workflow.given() || f.environment.given(),
	}
	if !f.branches.given() && !f.tags.given() && home.Name != "" {
		w.Reporters.Branches = []string{home.Name}
	}
}

// refGlobs reads globs of branches or tags.
func refGlobs(r *reader, globs found[[]found[string]]) (all []string) {
	for i, g := range globs.value {
		switch {
		case !g.good():
		case !doublestar.ValidatePattern(g.value) || len(g.value) > maxGlob || strings.Count(g.value, "{") > maxBraces:
			r.element(i).errorf(g.at, "%s is not a glob, or too long for one; close its brackets, or shorten it", quote(g.value))
		case strings.HasPrefix(g.value, "refs/"):
			r.element(i).errorf(g.at, "%s must be a name without refs/heads/ or refs/tags/", quote(g.value))
		default:
			all = append(all, g.value)
		}
	}
	return all
}
