package githubsim

import (
	"net/http"
	"slices"
	"strings"
)

// Reports are all that was reported on the commits of a repository.
type Reports struct {
	suites   []*checkSuite
	runs     []*checkRun
	statuses []*status
}

// runsOf lists the runs of a suite, newest first.
func (r *Reports) runsOf(s *checkSuite) []*checkRun {
	var runs []*checkRun
	for _, run := range slices.Backward(r.runs) {
		if run.suite == s {
			runs = append(runs, run)
		}
	}
	return runs
}

// allRuns lists the runs on a commit, newest first.
func (r *Reports) allRuns(sha string) []*checkRun {
	var runs []*checkRun
	for _, run := range slices.Backward(r.runs) {
		if run.suite.sha == sha {
			runs = append(runs, run)
		}
	}
	return runs
}

// latestRuns keeps the newest run of each name in each suite, which is GitHub's filter=latest.
func (r *Reports) latestRuns(sha string) []*checkRun {
	type identity struct {
		suite *checkSuite
		name  string
	}
	seen := map[identity]bool{}
	var latest []*checkRun
	for _, run := range r.allRuns(sha) {
		id := identity{run.suite, run.name}
		if !seen[id] {
			seen[id] = true
			latest = append(latest, run)
		}
	}
	return latest
}

func latestByName(newestFirst []*checkRun) []*checkRun {
	seen := map[string]bool{}
	var latest []*checkRun
	for _, run := range newestFirst {
		if !seen[run.name] {
			seen[run.name] = true
			latest = append(latest, run)
		}
	}
	return latest
}

func (run *checkRun) statusWords() string { return strings.ReplaceAll(run.status, "_", " ") }

// state sums up a suite: queued without runs, completed once all its runs are, with the worst conclusion.
func (r *Reports) suiteState(s *checkSuite) (status, conclusion string) {
	runs := latestByName(r.runsOf(s))
	if len(runs) == 0 {
		return "queued", ""
	}
	status = "completed"
	for _, run := range runs {
		if run.status != "completed" {
			status = "in_progress"
		}
	}
	if status != "completed" {
		return status, ""
	}
	ranks := []string{"skipped", "neutral", "success", "stale", "cancelled", "action_required", "timed_out", "startup_failure", "failure"}
	worst := 0
	for _, run := range runs {
		worst = max(worst, slices.Index(ranks, run.conclusion))
	}
	return status, ranks[worst]
}

func (r *Reports) run(id int64) (*checkRun, error) {
	for _, run := range r.runs {
		if run.id == id {
			return run, nil
		}
	}
	return nil, notFound()
}

// statusesOf lists the statuses of a commit, newest first.
func (r *Reports) statusesOf(sha string) []*status {
	var of []*status
	for _, s := range slices.Backward(r.statuses) {
		if s.sha == sha {
			of = append(of, s)
		}
	}
	return of
}

// latestStatuses keeps the newest status of each context.
func (r *Reports) latestStatuses(sha string) []*status {
	seen := map[string]bool{}
	var latest []*status
	for _, s := range r.statusesOf(sha) {
		if !seen[s.context] {
			seen[s.context] = true
			latest = append(latest, s)
		}
	}
	return latest
}

// combined sums statuses up: failure before pending before success; pending when there is none.
func combined(latest []*status) string {
	if len(latest) == 0 {
		return "pending"
	}
	sum := "success"
	for _, s := range latest {
		switch s.state {
		case "error", "failure":
			return "failure"
		case "pending":
			sum = "pending"
		}
	}
	return sum
}

// checkState says how a required check stands on a commit: empty when it is satisfied. Skipped and neutral runs satisfy it.
func (r *Reports) checkState(sha, name string) string {
	state := "expected"
	for _, run := range r.latestRuns(sha) {
		if run.name != name {
			continue
		}
		switch {
		case run.status != "completed":
			return run.statusWords()
		case run.conclusion == "success" || run.conclusion == "neutral" || run.conclusion == "skipped":
			state = ""
		default:
			return "failing"
		}
	}
	for _, s := range r.latestStatuses(sha) {
		if s.context != name {
			continue
		}
		switch s.state {
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

// contextsMet checks the commit's contexts, all of them unless named. GitHub lists them in the refusal; its description does not know
// of that list, so it is left out.
func (r *Reports) contextsMet(ref, sha string, named *[]string) error {
	var names []string
	if named != nil {
		names = *named
	} else {
		names = r.contexts(sha)
	}
	for _, name := range names {
		if r.checkState(sha, name) != "" {
			return refuse(http.StatusConflict, "Conflict: Commit status checks failed for %s.", ref)
		}
	}
	return nil
}

// contexts lists the names of everything that reports on a commit.
func (r *Reports) contexts(sha string) []string {
	var names []string
	for _, s := range r.latestStatuses(sha) {
		names = append(names, s.context)
	}
	for _, run := range r.latestRuns(sha) {
		names = append(names, run.name)
	}
	return names
}
