package promotion

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Reporters says which runs of workflows may report freight of a warehouse.
type Reporters struct {
	Branches    []string // globs
	Tags        []string // globs
	Workflow    string   // the name of its file in .github/workflows; empty: any
	Environment string   // that its job deploys to; empty: any, or none
	Stated      bool     // the pipeline file states one of these: then a report must show it
}

// Run is a run of a workflow, as GitHub says it is.
type Run struct {
	Repo        Repo
	RepoID      int64  // GitHub's id of it; 0: not known
	Event       string // that has started it: push, pull_request, ...
	Ref         string // refs/heads/main, refs/tags/v1.4.2, refs/pull/7/merge
	Workflow    string // the name of its file in .github/workflows
	Environment string
	ID          string // its number
	Actor       Login  // who has started it
	ActorID     int64
}

// String names the run for the audit trail.
func (r Run) String() string {
	return fmt.Sprintf("run %s of %s in %s at %s, started by %s", r.ID, r.Workflow, r.Repo, r.Ref, r.Actor)
}

// Refuses returns why a run may not report freight of the warehouse; empty if it may. A run for a pull request is of
// code that has not been reviewed, even if it names another branch.
func (w *Warehouse) Refuses(r Run) string {
	branch, ofBranch := strings.CutPrefix(r.Ref, "refs/heads/")
	tag, ofTag := strings.CutPrefix(r.Ref, "refs/tags/")
	by := w.Reporters
	switch {
	case !strings.EqualFold(string(r.Repo), string(w.Repo)):
		return fmt.Sprintf("warehouse %s takes reports of %s, and this run is of %s", w.Name, w.Repo, r.Repo)
	case strings.HasPrefix(r.Event, "pull_request"):
		return "a run for a pull request reports nothing: report what is merged"
	case ofBranch && !matchesAny(by.Branches, branch), ofTag && !matchesAny(by.Tags, tag), !ofBranch && !ofTag:
		return fmt.Sprintf("warehouse %s takes no reports of runs at %s: %s", w.Name, r.Ref, by.refs())
	case by.Workflow != "" && by.Workflow != r.Workflow:
		return fmt.Sprintf("warehouse %s takes reports of the workflow %s, and this is %s", w.Name, by.Workflow,
			r.Workflow)
	case by.Environment != "" && by.Environment != r.Environment:
		return fmt.Sprintf("warehouse %s takes reports of jobs in the environment %s, and this one is in %s", w.Name,
			by.Environment, cmp.Or(r.Environment, "none"))
	}
	return ""
}

// refs says at which branches and tags runs may report.
func (by Reporters) refs() string {
	var all []string
	if len(by.Branches) > 0 {
		all = append(all, "branches "+strings.Join(by.Branches, ", "))
	}
	if len(by.Tags) > 0 {
		all = append(all, "tags "+strings.Join(by.Tags, ", "))
	}
	return "it takes those of " + strings.Join(all, " and ")
}

func matchesAny(globs []string, name string) bool {
	for _, g := range globs {
		if doublestar.MatchUnvalidated(g, name) {
			return true
		}
	}
	return false
}
