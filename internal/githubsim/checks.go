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

// Checks takes what reports on commits: check suites, check runs and statuses.
type Checks struct {
	clock  *Clock
	apps   *Apps
	events *Events
	// reported follows whatever a commit was told.
	reported func(r *repository, sha string) error
}

// Suite finds the suite of an App on a commit, or makes it.
func (cs *Checks) Suite(r *repository, a *app, key, sha string) *checkSuite {
	for _, s := range r.suites {
		if s.app == a && s.key == key && s.sha == sha {
			return s
		}
	}
	s := &checkSuite{id: cs.clock.NextID(), app: a, key: key, sha: sha, branch: r.branchOf(sha), created: cs.clock.Now(), updated: cs.clock.Now()}
	r.suites = append(r.suites, s)
	return s
}

// pushed makes the suite that GitHub makes for every App that writes checks, and asks the App under test for its runs.
func (cs *Checks) pushed(push Push) error {
	r := push.Repo
	install, found := cs.apps.InstallationOf(r)
	if !found || !install.suspended.IsZero() || !may(cs.apps.Own.permissions, "checks", "write") {
		return nil
	}
	s := cs.Suite(r, cs.apps.Own, "", push.After)
	s.branch, s.before = push.branch(), push.Before
	cs.events.OfRepo(r, "check_suite", "requested", push.Who, s, nil)
	return nil
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

func (cs *Checks) tell(r *repository, run *checkRun, action string, sender *account) {
	cs.events.OfRepo(r, "check_run", action, sender, run, nil)
}

// AskAgain sends rerequested, which only the App that made the run hears.
func (cs *Checks) AskAgain(r *repository, run *checkRun, sender *account) {
	if run.suite.app == cs.apps.Own {
		cs.tell(r, run, "rerequested", sender)
	}
}

// AskSuiteAgain is AskAgain for all runs of a suite.
func (cs *Checks) AskSuiteAgain(r *repository, s *checkSuite, sender *account) {
	if s.app == cs.apps.Own {
		cs.events.OfRepo(r, "check_suite", "rerequested", sender, s, nil)
	}
}

// changed sends check_suite completed when the last run of a suite is, and looks after what waits for it.
func (cs *Checks) changed(r *repository, s *checkSuite, sender *account) error {
	s.updated = cs.clock.Now()
	status, _ := r.suiteState(s)
	if status == "completed" && !s.done {
		cs.events.OfRepo(r, "check_suite", "completed", sender, s, nil)
	}
	s.done = status == "completed"
	return cs.reported(r, s.sha)
}
