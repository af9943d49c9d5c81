package gh

import (
	"context"
	"errors"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// CheckRun is a check run of ours: a view of a stage on a commit.
type CheckRun struct {
	ID         int64 // 0: found by name and commit, or made
	SHA        promotion.SHA
	Name       string
	ExternalID string // comes back with every event about the run
	Status     string // queued, in_progress or completed
	Conclusion string // of a completed one
	Title      string
	Summary    string // Markdown
	DetailsURL string
	Actions    []Action // at most 3; people see them once the run is completed
	// Annotations are what is said about lines of files. They are told when the run is made and never again: GitHub would
	// add them to those that are there.
	Annotations []Annotation `json:",omitempty"`
	// Fresh says that nobody can have made it before, so that there is no need to look for it.
	Fresh bool `json:"-"`
}

// Action is a button of a check run.
type Action struct {
	Label       string // at most 20 characters
	Description string // at most 40
	Identifier  string // at most 20
}

// Annotation is what a check run says about a line of a file.
type Annotation struct {
	Path    string
	Line    int    // from 1
	Col     int    // from 1; 0: the whole line
	Level   string // notice, warning or failure
	Message string
}

// What GitHub takes of a check run. It answers longer actions with an error of its own making.
const (
	maxActions     = 3
	maxLabel       = 20
	maxDescription = 40
	maxCheckTitle  = 250
	maxAnnotations = 50 // in one request
	maxAnnotation  = 60_000
)

// SaveCheckRun brings a check run to a state and returns its id. Where GitHub does not let a completed run become
// incomplete again, another run of the same name takes its place.
func (c *Client) SaveCheckRun(ctx context.Context, run CheckRun) (int64, error) {
	id, err := c.saveCheckRun(ctx, run)
	return id, c.wrong(err, "save check run %q on %s", run.Name, run.SHA)
}

func (c *Client) saveCheckRun(ctx context.Context, run CheckRun) (int64, error) {
	if run.ID == 0 && !run.Fresh {
		found, err := c.findCheckRun(ctx, run)
		if err != nil {
			return 0, err
		}
		run.ID = found
	}
	if run.ID == 0 {
		return c.createCheckRun(ctx, run)
	}
	updated, _, err := c.rest.Checks.UpdateCheckRun(ctx, c.owner, c.name, run.ID, run.update())
	err = classify(err)
	switch {
	case errors.Is(err, ErrNotFound):
		return c.createCheckRun(ctx, run)
	case err == nil && run.Status != "completed" && updated.GetStatus() == "completed":
		return c.createCheckRun(ctx, run)
	}
	return run.ID, err
}

// findCheckRun finds the newest run of ours of that name on the commit; 0 if there is none.
func (c *Client) findCheckRun(ctx context.Context, run CheckRun) (int64, error) {
	var id int64
	err := pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := c.rest.Checks.ListCheckRunsForRef(ctx, c.owner, c.name, string(run.SHA), &github.ListCheckRunsOptions{
			CheckName: github.String(run.Name), AppID: github.Int64(c.hub.config.AppID), Filter: github.String("latest"), ListOptions: *page,
		})
		if err != nil {
			return nil, err
		}
		for _, one := range some.CheckRuns {
			if one.GetName() == run.Name {
				id = max(id, one.GetID())
			}
		}
		return response, nil
	})
	return id, err
}

func (c *Client) createCheckRun(ctx context.Context, run CheckRun) (int64, error) {
	output := run.output()
	output.Annotations = run.annotations()
	made, _, err := c.rest.Checks.CreateCheckRun(ctx, c.owner, c.name, github.CreateCheckRunOptions{
		Name: run.Name, HeadSHA: string(run.SHA), DetailsURL: optional(run.DetailsURL), ExternalID: optional(run.ExternalID),
		Status: optional(run.Status), Conclusion: optional(run.Conclusion), Output: output, Actions: run.actions(),
	})
	if err == nil && made.GetID() == 0 {
		return 0, incomplete("the check run that it made")
	}
	return made.GetID(), classify(err)
}

func (run CheckRun) update() github.UpdateCheckRunOptions {
	return github.UpdateCheckRunOptions{
		Name: run.Name, DetailsURL: optional(run.DetailsURL), ExternalID: optional(run.ExternalID),
		Status: optional(run.Status), Conclusion: optional(run.Conclusion), Output: run.output(), Actions: run.actions(),
	}
}

func (run CheckRun) output() *github.CheckRunOutput {
	return &github.CheckRunOutput{
		Title: github.String(clip(run.Title, maxCheckTitle)), Summary: github.String(clip(run.Summary, maxBody)),
	}
}

func (run CheckRun) annotations() []*github.CheckRunAnnotation {
	var all []*github.CheckRunAnnotation
	for _, a := range run.Annotations[:min(len(run.Annotations), maxAnnotations)] {
		one := &github.CheckRunAnnotation{
			Path: &a.Path, StartLine: &a.Line, EndLine: &a.Line, AnnotationLevel: &a.Level, Message: github.String(clip(a.Message, maxAnnotation)),
		}
		if a.Col > 0 {
			one.StartColumn, one.EndColumn = &a.Col, &a.Col
		}
		all = append(all, one)
	}
	return all
}

func (run CheckRun) actions() []*github.CheckRunAction {
	var actions []*github.CheckRunAction
	for _, a := range run.Actions[:min(len(run.Actions), maxActions)] {
		actions = append(actions, &github.CheckRunAction{
			Label: clip(a.Label, maxLabel), Description: clip(a.Description, maxDescription), Identifier: a.Identifier,
		})
	}
	return actions
}

// optional leaves out what is empty.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
