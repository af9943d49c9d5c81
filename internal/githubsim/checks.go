package githubsim

import (
	"fmt"
	"net/http"
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
	for _, run := range r.runs {
		if run.suite == s {
			runs = append([]*checkRun{run}, runs...)
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

// runChange is what a client says about a check run, at its creation or later. Nil means unsaid.
type runChange struct {
	Name        *string
	HeadSHA     string     `json:"head_sha"`
	DetailsURL  *string    `json:"details_url"`
	ExternalID  *string    `json:"external_id"`
	Status      *string    `json:"status"`
	StartedAt   *time.Time `json:"started_at"`
	Conclusion  *string    `json:"conclusion"`
	CompletedAt *time.Time `json:"completed_at"`
	Output      *runOutput
	Actions     []obj
	Suite       string `json:"-"` // which suite of the App; the REST API has one per App
}

// runOutput is what a check run shows.
type runOutput struct {
	Title       *string
	Summary     *string
	Text        *string
	Annotations []obj
}

// createRun makes a check run of an App.
func (w *world) createRun(r *repository, a *app, in runChange) (*checkRun, error) {
	if in.Name == nil || *in.Name == "" {
		return nil, invalid("Invalid request.\n\n\"name\" wasn't supplied.")
	}
	sha, found := r.resolve(in.HeadSHA)
	if !found {
		return nil, invalid("No commit found for SHA: %s", in.HeadSHA)
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	run := &checkRun{id: w.nextID(), suite: w.suite(r, a, in.Suite, sha), name: *in.Name, status: "queued", started: w.now()}
	r.runs = append(r.runs, run)
	run.apply(in, w.now())
	w.emitRun(r, run, "created", a.bot)
	if run.status == "completed" {
		w.emitRun(r, run, "completed", a.bot)
	}
	return run, w.suiteChanged(r, run.suite, a.bot)
}

// updateRun changes a check run; only the App that made it may.
func (w *world) updateRun(r *repository, run *checkRun, a *app, in runChange) error {
	if run.suite.app != a {
		return refuse(http.StatusForbidden, "Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", run.suite.app.id)
	}
	if err := in.check(); err != nil {
		return err
	}
	wasCompleted := run.status == "completed"
	run.apply(in, w.now())
	if run.status == "completed" && !wasCompleted {
		w.emitRun(r, run, "completed", a.bot)
	}
	return w.suiteChanged(r, run.suite, a.bot)
}

// apply takes over what was said. A conclusion or a completion time completes the run.
func (run *checkRun) apply(in runChange, now time.Time) {
	set(&run.name, in.Name)
	set(&run.detailsURL, in.DetailsURL)
	set(&run.externalID, in.ExternalID)
	set(&run.status, in.Status)
	set(&run.started, in.StartedAt)
	set(&run.completed, in.CompletedAt)
	set(&run.conclusion, in.Conclusion)
	if in.Conclusion != nil || in.CompletedAt != nil {
		run.status = "completed"
	}
	if run.status == "completed" && run.completed.IsZero() {
		run.completed = now
	}
	if run.status != "completed" {
		run.conclusion, run.completed = "", time.Time{}
	}
	if in.Output != nil {
		set(&run.title, in.Output.Title)
		set(&run.summary, in.Output.Summary)
		set(&run.text, in.Output.Text)
		run.annotations = append(run.annotations, in.Output.Annotations...)
	}
	if in.Actions != nil {
		run.actions = in.Actions
	}
}

func set[T any](target *T, value *T) {
	if value != nil {
		*target = *value
	}
}

// The limits that GitHub documents for check runs.
const (
	mostActions     = 3
	mostAnnotations = 50
	longestOutput   = 65535
)

// check refuses what GitHub refuses.
func (in runChange) check() error {
	if in.Status != nil && *in.Status == "completed" && in.Conclusion == nil {
		return invalid("Invalid request.\n\nFor 'links/1/schema', nil is not a string.\n\"conclusion\" wasn't supplied.")
	}
	if len(in.Actions) > mostActions {
		return invalid("Invalid request.\n\nNo more than %d items are allowed; %d were supplied.", mostActions, len(in.Actions))
	}
	for _, action := range in.Actions {
		for key, most := range map[string]int{"label": 20, "description": 40, "identifier": 20} {
			if text := fmt.Sprint(action[key]); action[key] == nil || len([]rune(text)) > most {
				return invalid("Invalid request.\n\nOnly %d characters are allowed; %d were supplied.", most, len([]rune(text)))
			}
		}
	}
	if in.Output == nil {
		return nil
	}
	if len(in.Output.Annotations) > mostAnnotations {
		return invalid("Invalid request.\n\nNo more than %d items are allowed; %d were supplied.", mostAnnotations, len(in.Output.Annotations))
	}
	for _, text := range []*string{in.Output.Summary, in.Output.Text} {
		if text != nil && len(*text) > longestOutput {
			return invalid("Invalid request.\n\nOnly %d characters are allowed; %d were supplied.", longestOutput, len(*text))
		}
	}
	return nil
}

func (w *world) emitRun(r *repository, run *checkRun, action string, sender *account) {
	w.emitRepo(r, "check_run", action, sender, obj{"check_run": w.runJSON(r, run)})
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
