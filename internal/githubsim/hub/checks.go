package hub

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// CheckSuite groups the runs of one App on one commit. GitHub Actions makes one suite per workflow; they differ by key.
type CheckSuite struct {
	ID      int64
	App     *App
	key     string
	SHA     string
	Before  string
	Branch  string
	Created time.Time
	Updated time.Time
	done    bool // the completed event was sent for the current state
}

// CheckRun is one check run.
type CheckRun struct {
	ID          int64
	Suite       *CheckSuite
	Name        string
	ExternalID  string
	DetailsURL  string
	Status      string
	Conclusion  string
	Started     time.Time
	Completed   time.Time
	Title       string
	Summary     string
	Text        string
	Annotations []Fields
	Actions     []Fields
	First       string // the status and the conclusion with which it was created
	again       bool   // it was asked for again, and nothing was reported since
}

// Checks writes reports on commits: check suites, check runs and statuses.
type Checks struct {
	clock  *Clock
	apps   *Apps
	events *Events
	// Others has each push make a suite of another App, too, of which that App never makes a run.
	Others bool
	// reported runs after each report on a commit.
	reported func(r *Repository, sha string) error
}

// Suite returns the suite of an App on a commit, and creates a missing one.
func (cs *Checks) Suite(r *Repository, a *App, key, sha string) *CheckSuite {
	for _, s := range r.Suites {
		if s.App == a && s.key == key && s.SHA == sha {
			return s
		}
	}
	s := &CheckSuite{
		ID: cs.clock.NextID(), App: a, key: key, SHA: sha, Branch: r.git.BranchOf(sha), Created: cs.clock.Now(),
		Updated: cs.clock.Now(),
	}
	r.Suites = append(r.Suites, s)
	return s
}

// pushed creates the suites that GitHub creates for every App that writes checks, and requests the runs of the App
// under test.
func (cs *Checks) pushed(push Push) error {
	r := push.Repo
	install, found := cs.apps.InstallationOf(r)
	if !found || !install.Suspended.IsZero() || !May(cs.apps.Own.Permissions, "checks", "write") {
		return nil
	}
	if cs.Others {
		s := cs.Suite(r, cs.apps.Named("another-app"), "", push.After)
		s.Branch, s.Before = push.branch(), push.Before
	}
	s := cs.Suite(r, cs.apps.Own, "", push.After)
	s.Branch, s.Before = push.branch(), push.Before
	cs.events.OfRepo(r, "check_suite", "requested", push.Who, s, nil)
	return nil
}

// RunChange is the request of a client to create or change a check run. Nil leaves a field as it is.
type RunChange struct {
	Name        *string
	HeadSHA     string     `json:"head_sha"`
	DetailsURL  *string    `json:"details_url"`
	ExternalID  *string    `json:"external_id"`
	Status      *string    `json:"status"`
	StartedAt   *time.Time `json:"started_at"`
	Conclusion  *string    `json:"conclusion"`
	CompletedAt *time.Time `json:"completed_at"`
	Output      *RunOutput
	Actions     []Fields
	Suite       string `json:"-"` // a suite of the App; the REST API has one per App
}

// RunOutput is the text of a check run.
type RunOutput struct {
	Title       *string
	Summary     *string
	Text        *string
	Annotations []Fields
}

// Create makes a check run of an App.
func (cs *Checks) Create(r *Repository, a *App, in RunChange) (*CheckRun, error) {
	if in.Name == nil || *in.Name == "" {
		return nil, Invalid("Invalid request.\n\n\"name\" wasn't supplied.")
	}
	sha, found := r.git.Resolve(in.HeadSHA)
	if !found {
		return nil, Invalid("No commit found for SHA: %s", in.HeadSHA)
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	run := &CheckRun{
		ID: cs.clock.NextID(), Suite: cs.Suite(r, a, in.Suite, sha), Name: *in.Name, Status: "queued",
		Started: cs.clock.Now(),
	}
	r.Runs = append(r.Runs, run)
	run.apply(in, cs.clock.Now())
	run.First = run.State()
	cs.tell(r, run, "created", a.Bot)
	if run.Status == "completed" {
		cs.tell(r, run, "completed", a.Bot)
	}
	return run, cs.changed(r, run.Suite, a.Bot)
}

// Update changes a check run. Only the App that created it may do so. A completed run keeps its status and conclusion:
// only its texts and buttons change. The answer does not tell: it is the run as it was asked for.
func (cs *Checks) Update(r *Repository, run *CheckRun, a *App, in RunChange) (answer *CheckRun, err error) {
	if run.Suite.App != a {
		return nil, Refuse(http.StatusForbidden,
			"Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", run.Suite.App.ID)
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	was := *run
	run.apply(in, cs.clock.Now())
	said := *run
	if was.Status == "completed" {
		run.Status, run.Conclusion, run.Completed = was.Status, was.Conclusion, was.Completed
	} else if run.Status == "completed" {
		cs.tell(r, run, "completed", a.Bot)
	}
	return &said, cs.changed(r, run.Suite, a.Bot)
}

// State returns the status and, if the run is completed, the conclusion.
func (run *CheckRun) State() string { return strings.TrimSpace(run.Status + " " + run.Conclusion) }

// apply makes a change. A conclusion or a completion time completes the run.
func (run *CheckRun) apply(in RunChange, now time.Time) {
	run.again = false
	set(&run.Name, in.Name)
	set(&run.DetailsURL, in.DetailsURL)
	set(&run.ExternalID, in.ExternalID)
	set(&run.Status, in.Status)
	set(&run.Started, in.StartedAt)
	set(&run.Completed, in.CompletedAt)
	set(&run.Conclusion, in.Conclusion)
	if in.Conclusion != nil || in.CompletedAt != nil {
		run.Status = "completed"
	}
	if run.Status == "completed" && run.Completed.IsZero() {
		run.Completed = now
	}
	if run.Status != "completed" {
		run.Conclusion, run.Completed = "", time.Time{}
	}
	if in.Output != nil {
		set(&run.Title, in.Output.Title)
		set(&run.Summary, in.Output.Summary)
		set(&run.Text, in.Output.Text)
		run.Annotations = append(run.Annotations, in.Output.Annotations...)
	}
	if in.Actions != nil {
		run.Actions = in.Actions
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

// check returns GitHub's error for an invalid change.
func (in RunChange) check() error {
	if in.Status != nil && *in.Status == "completed" && in.Conclusion == nil {
		return Invalid("Invalid request.\n\nFor 'links/1/schema', nil is not a string.\n\"conclusion\" wasn't supplied.")
	}
	if len(in.Actions) > mostActions {
		return Invalid("Invalid request.\n\nNo more than %d items are allowed; %d were supplied.", mostActions,
			len(in.Actions))
	}
	for _, action := range in.Actions {
		for key, most := range map[string]int{"label": 20, "description": 40, "identifier": 20} {
			if text := fmt.Sprint(action[key]); action[key] == nil || len([]rune(text)) > most {
				return Invalid("Invalid request.\n\nOnly %d characters are allowed; %d were supplied.", most, len([]rune(text)))
			}
		}
	}
	if in.Output == nil {
		return nil
	}
	if len(in.Output.Annotations) > mostAnnotations {
		return Invalid("Invalid request.\n\nNo more than %d items are allowed; %d were supplied.", mostAnnotations,
			len(in.Output.Annotations))
	}
	for _, text := range []*string{in.Output.Summary, in.Output.Text} {
		if text != nil && len(*text) > longestOutput {
			return Invalid("Invalid request.\n\nOnly %d characters are allowed; %d were supplied.", longestOutput, len(*text))
		}
	}
	return nil
}

func (cs *Checks) tell(r *Repository, run *CheckRun, action string, sender *Account) {
	cs.events.OfRepo(r, "check_run", action, sender, run, nil)
}

// AskAgain has a run asked for again: its suite waits for it. Only the App that created the run hears rerequested.
func (cs *Checks) AskAgain(r *Repository, run *CheckRun, sender *Account) {
	run.again, run.Suite.done = true, false
	if run.Suite.App == cs.apps.Own {
		cs.tell(r, run, "rerequested", sender)
	}
}

// AskSuiteAgain is AskAgain for all runs of a suite. The App hears of the suite only.
func (cs *Checks) AskSuiteAgain(r *Repository, s *CheckSuite, sender *Account) {
	for _, run := range LatestByName(r.RunsOf(s)) {
		run.again, s.done = true, false
	}
	if s.App == cs.apps.Own {
		cs.events.OfRepo(r, "check_suite", "rerequested", sender, s, nil)
	}
}

// changed sends check_suite completed if the last run of a suite is completed, and then calls reported.
func (cs *Checks) changed(r *Repository, s *CheckSuite, sender *Account) error {
	s.Updated = cs.clock.Now()
	status, _ := r.SuiteState(s)
	if status == "completed" && !s.done {
		cs.events.OfRepo(r, "check_suite", "completed", sender, s, nil)
	}
	s.done = status == "completed"
	return cs.reported(r, s.SHA)
}

// Delete deletes a check run, as GitHub's retention does.
func (cs *Checks) Delete(r *Repository, id int64) error {
	for i, run := range r.Runs {
		if run.ID == id {
			r.Runs = append(r.Runs[:i:i], r.Runs[i+1:]...)
			return nil
		}
	}
	return NotFound()
}

// Press presses a button of a completed check run that the App under test made.
func (cs *Checks) Press(r *Repository, run *CheckRun, identifier string, who *Account) error {
	for _, action := range run.Actions {
		if action["identifier"] == identifier && run.Status == "completed" && run.Suite.App == cs.apps.Own {
			with := Fields{"requested_action": Fields{"identifier": identifier}}
			cs.events.OfRepo(r, "check_run", "requested_action", who, run, with)
			return nil
		}
	}
	return fmt.Errorf("the check run shows no such button")
}
