package githubsim

import (
	"slices"
	"strings"
	"time"
)

// checkSuite groups the runs of one App on one commit. GitHub Actions makes one per workflow, told apart here by key.
type checkSuite struct {
	id      int64
	app     *app
	key     string
	sha     string
	before  string
	branch  string
	created time.Time
	updated time.Time
	done    bool // the completed event was sent for the state it is in
}

// checkRun is one check run.
type checkRun struct {
	id          int64
	suite       *checkSuite
	name        string
	externalID  string
	detailsURL  string
	status      string
	conclusion  string
	started     time.Time
	completed   time.Time
	title       string
	summary     string
	text        string
	annotations []obj
	actions     []obj
}

// suite finds the suite of an App on a commit, or makes it.
func (w *world) suite(r *repository, a *app, key, sha string) *checkSuite {
	for _, s := range r.suites {
		if s.app == a && s.key == key && s.sha == sha {
			return s
		}
	}
	s := &checkSuite{id: w.nextID(), app: a, key: key, sha: sha, branch: r.branchOf(sha), created: w.now(), updated: w.now()}
	r.suites = append(r.suites, s)
	return s
}

// suiteOnPush makes the suite that GitHub makes for every App that writes checks, and asks the App under test for its runs.
func (w *world) suiteOnPush(r *repository, branch, sha, before string, who *account) {
	install, found := w.installationOf(r)
	if !found || !install.suspended.IsZero() || !may(w.app.permissions, "checks", "write") {
		return
	}
	s := w.suite(r, w.app, "", sha)
	s.branch, s.before = branch, before
	w.emitRepo(r, "check_suite", "requested", who, obj{"check_suite": w.suiteJSON(r, s)})
}

// branchOf finds a branch whose head is the commit: the default branch if it is one of them.
func (r *repository) branchOf(sha string) string {
	if head, _ := r.git.Branch(r.defaultBranch); head == sha {
		return r.defaultBranch
	}
	for _, ref := range r.git.Refs("refs/heads/") {
		if head, _ := r.git.Ref(ref); head == sha {
			return strings.TrimPrefix(ref, "refs/heads/")
		}
	}
	return ""
}

// runsOf lists the runs of a suite, newest first.
func (r *repository) runsOf(s *checkSuite) []*checkRun {
	var runs []*checkRun
	for _, run := range slices.Backward(r.runs) {
		if run.suite == s {
			runs = append(runs, run)
		}
	}
	return runs
}

// allRuns lists the runs on a commit, newest first.
func (r *repository) allRuns(sha string) []*checkRun {
	var runs []*checkRun
	for _, run := range slices.Backward(r.runs) {
		if run.suite.sha == sha {
			runs = append(runs, run)
		}
	}
	return runs
}

// latestRuns keeps the newest run of each name in each suite, which is GitHub's filter=latest.
func (r *repository) latestRuns(sha string) []*checkRun {
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

func (run *checkRun) statusWords() string { return strings.ReplaceAll(run.status, "_", " ") }

// state sums up a suite: queued without runs, completed once all its runs are, with the worst conclusion.
func (r *repository) suiteState(s *checkSuite) (status, conclusion string) {
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

func (w *world) emitRun(r *repository, run *checkRun, action string, sender *account) {
	w.emitRepo(r, "check_run", action, sender, obj{"check_run": w.runJSON(r, run)})
}

// askRunAgain sends rerequested, which only the App that made the run hears.
func (w *world) askRunAgain(r *repository, run *checkRun, sender *account) {
	if run.suite.app == w.app {
		w.emitRun(r, run, "rerequested", sender)
	}
}

// askSuiteAgain is askRunAgain for all runs of a suite.
func (w *world) askSuiteAgain(r *repository, s *checkSuite, sender *account) {
	if s.app == w.app {
		w.emitRepo(r, "check_suite", "rerequested", sender, obj{"check_suite": w.suiteJSON(r, s)})
	}
}

// suiteChanged sends check_suite completed when the last run of a suite is, and looks after what waits for it.
func (w *world) suiteChanged(r *repository, s *checkSuite, sender *account) error {
	s.updated = w.now()
	status, _ := r.suiteState(s)
	if status == "completed" && !s.done {
		w.emitRepo(r, "check_suite", "completed", sender, obj{"check_suite": w.suiteJSON(r, s)})
	}
	s.done = status == "completed"
	return w.signalled(r, s.sha)
}
