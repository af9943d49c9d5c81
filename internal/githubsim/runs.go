package githubsim

import (
	"fmt"
	"net/http"
	"time"
)

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
	sha, found := r.resolve(in.HeadSHA)
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
