package hub

import (
	"net/http"
	"slices"
	"strings"
)

// Reports holds all reports on the commits of a repository.
type Reports struct {
	Suites   []*CheckSuite
	Runs     []*CheckRun
	statuses []*Status
}

// RunsOf lists the runs of a suite, newest first.
func (r *Reports) RunsOf(s *CheckSuite) []*CheckRun {
	var runs []*CheckRun
	for _, run := range slices.Backward(r.Runs) {
		if run.Suite == s {
			runs = append(runs, run)
		}
	}
	return runs
}

// AllRuns lists the runs on a commit, newest first.
func (r *Reports) AllRuns(sha string) []*CheckRun {
	var runs []*CheckRun
	for _, run := range slices.Backward(r.Runs) {
		if run.Suite.SHA == sha {
			runs = append(runs, run)
		}
	}
	return runs
}

// LatestRuns returns the newest run of each name in each suite, which is GitHub's filter=latest.
func (r *Reports) LatestRuns(sha string) []*CheckRun {
	type identity struct {
		suite *CheckSuite
		name  string
	}
	seen := map[identity]bool{}
	var latest []*CheckRun
	for _, run := range r.AllRuns(sha) {
		id := identity{run.Suite, run.Name}
		if !seen[id] {
			seen[id] = true
			latest = append(latest, run)
		}
	}
	return latest
}

// LatestByName returns the newest run of each name.
func LatestByName(newestFirst []*CheckRun) []*CheckRun {
	seen := map[string]bool{}
	var latest []*CheckRun
	for _, run := range newestFirst {
		if !seen[run.Name] {
			seen[run.Name] = true
			latest = append(latest, run)
		}
	}
	return latest
}

func (run *CheckRun) statusWords() string { return strings.ReplaceAll(run.Status, "_", " ") }

// SuiteState returns the summary of a suite: queued without runs or when one of them was asked for again, completed
// once all its runs are, with the worst conclusion.
func (r *Reports) SuiteState(s *CheckSuite) (status, conclusion string) {
	runs := LatestByName(r.RunsOf(s))
	if len(runs) == 0 || slices.ContainsFunc(runs, func(run *CheckRun) bool { return run.again }) {
		return "queued", ""
	}
	status = "completed"
	for _, run := range runs {
		if run.Status != "completed" {
			status = "in_progress"
		}
	}
	if status != "completed" {
		return status, ""
	}
	ranks := []string{
		"skipped", "neutral", "success", "stale", "cancelled", "action_required", "timed_out", "startup_failure", "failure",
	}
	worst := 0
	for _, run := range runs {
		worst = max(worst, slices.Index(ranks, run.Conclusion))
	}
	return status, ranks[worst]
}

// Run finds a check run.
func (r *Reports) Run(id int64) (*CheckRun, error) {
	for _, run := range r.Runs {
		if run.ID == id {
			return run, nil
		}
	}
	return nil, NotFound()
}

// StatusesOf lists the statuses of a commit, newest first.
func (r *Reports) StatusesOf(sha string) []*Status {
	var of []*Status
	for _, s := range slices.Backward(r.statuses) {
		if s.SHA == sha {
			of = append(of, s)
		}
	}
	return of
}

// LatestStatuses returns the newest status of each context.
func (r *Reports) LatestStatuses(sha string) []*Status {
	seen := map[string]bool{}
	var latest []*Status
	for _, s := range r.StatusesOf(sha) {
		if !seen[s.Context] {
			seen[s.Context] = true
			latest = append(latest, s)
		}
	}
	return latest
}

// Combined returns the combined state of statuses: failure before pending before success; pending without statuses.
func Combined(latest []*Status) string {
	if len(latest) == 0 {
		return "pending"
	}
	sum := "success"
	for _, s := range latest {
		switch s.State {
		case "error", "failure":
			return "failure"
		case "pending":
			sum = "pending"
		}
	}
	return sum
}

// CheckState returns the state of a required check on a commit: empty if it is satisfied. Skipped and neutral runs
// satisfy it. A run that was asked for again does not.
func (r *Reports) CheckState(sha, name string) string { return r.CheckStateOf(sha, name, 0) }

// CheckStateOf is like CheckState for a check that only runs of an App satisfy; 0: of any, and statuses.
func (r *Reports) CheckStateOf(sha, name string, app int64) string {
	state := "expected"
	for _, run := range r.LatestRuns(sha) {
		if run.Name != name || app != 0 && run.Suite.App.ID != app {
			continue
		}
		switch {
		case run.again:
			return "queued"
		case run.Status != "completed":
			return run.statusWords()
		case run.Conclusion == "success" || run.Conclusion == "neutral" || run.Conclusion == "skipped":
			state = ""
		default:
			return "failing"
		}
	}
	for _, s := range r.LatestStatuses(sha) {
		if s.Context != name || app != 0 {
			continue
		}
		switch s.State {
		case "success":
			state = ""
		case "pending":
			return "pending"
		default:
			return "failing"
		}
	}
	return state
}

// contextsMet checks the commit's contexts: the named ones, or all. GitHub lists them in the error; its description
// does not have that list, so it is left out.
func (r *Reports) contextsMet(ref, sha string, named *[]string) error {
	var names []string
	if named != nil {
		names = *named
	} else {
		names = r.contexts(sha)
	}
	for _, name := range names {
		if r.CheckState(sha, name) != "" {
			return Refuse(http.StatusConflict, "Conflict: Commit status checks failed for %s.", ref)
		}
	}
	return nil
}

// contexts lists the names of all check runs and statuses on a commit.
func (r *Reports) contexts(sha string) []string {
	var names []string
	for _, s := range r.LatestStatuses(sha) {
		names = append(names, s.Context)
	}
	for _, run := range r.LatestRuns(sha) {
		names = append(names, run.Name)
	}
	return names
}
