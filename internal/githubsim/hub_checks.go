package githubsim

import (
	"fmt"
	"net/http"
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
	s := &checkSuite{id: cs.clock.NextID(), app: a, key: key, sha: sha, branch: r.git.BranchOf(sha), created: cs.clock.Now(), updated: cs.clock.Now()}
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

// Create makes a check run of an App.
func (cs *Checks) Create(r *repository, a *app, in runChange) (*checkRun, error) {
	if in.Name == nil || *in.Name == "" {
		return nil, invalid("Invalid request.\n\n\"name\" wasn't supplied.")
	}
	sha, found := r.git.Resolve(in.HeadSHA)
	if !found {
		return nil, invalid("No commit found for SHA: %s", in.HeadSHA)
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	run := &checkRun{id: cs.clock.NextID(), suite: cs.Suite(r, a, in.Suite, sha), name: *in.Name, status: "queued", started: cs.clock.Now()}
	r.runs = append(r.runs, run)
	run.apply(in, cs.clock.Now())
	cs.tell(r, run, "created", a.bot)
	if run.status == "completed" {
		cs.tell(r, run, "completed", a.bot)
	}
	return run, cs.changed(r, run.suite, a.bot)
}

// Update changes a check run; only the App that made it may.
func (cs *Checks) Update(r *repository, run *checkRun, a *app, in runChange) error {
	if run.suite.app != a {
		return refuse(http.StatusForbidden, "Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", run.suite.app.id)
	}
	if err := in.check(); err != nil {
		return err
	}
	wasCompleted := run.status == "completed"
	run.apply(in, cs.clock.Now())
	if run.status == "completed" && !wasCompleted {
		cs.tell(r, run, "completed", a.bot)
	}
	return cs.changed(r, run.suite, a.bot)
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

// Delete makes a check run vanish, as retention does.
func (cs *Checks) Delete(r *repository, id int64) error {
	for i, run := range r.runs {
		if run.id == id {
			r.runs = append(r.runs[:i:i], r.runs[i+1:]...)
			return nil
		}
	}
	return notFound()
}
