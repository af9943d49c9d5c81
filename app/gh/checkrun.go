package gh

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// CheckRun is a check run of ours: a view of a stage on a commit.
type CheckRun struct {
	Known    `json:"-"` // not known: found by name, commit, pipeline and subject, or made
	Pipeline int64      // whose run it is
	// Subject is what the run is about, such as freight and its stage; it never changes. Where two warehouses take the
	// same pull request, there are two runs of the same name on one commit, which only this tells apart.
	Subject string
	SHA     promotion.SHA
	Name    string
	// Present and Turns are what makes a button another one: the newest promotion of the subject, which may be none, and
	// how many buttons have been answered.
	Present    string
	Turns      int    `json:",omitempty"`
	Status     string // queued, in_progress or completed
	Conclusion string // of a completed one
	Title      string
	Summary    string // Markdown
	DetailsURL string
	Actions    []Action // at most 3; people see them once the run is completed
	// Annotations are notes on lines of files. They are sent when the run is made and never again: GitHub would add them
	// to those that are there.
	Annotations []Annotation `json:",omitempty"`
	// Fresh says that no earlier try can have made it, so that there is no need to look for it.
	Fresh bool `json:"-"`
	// Was is the state of the known run on GitHub. The zero value is not known: it is looked up.
	Was RunState `json:"-"`
	// Outdated is the newest run that is not to be changed any more; 0: none.
	Outdated int64 `json:"-"`
}

// RunState is how far a check run is. GitHub keeps that of a completed run for ever.
type RunState struct{ Status, Conclusion string }

func (s RunState) completed() bool { return s.Status == "completed" }

// Action is a button of a check run.
type Action struct {
	Label       string // at most 20 characters
	Description string // at most 40
	Identifier  string // at most 20
}

// Annotation is a note of a check run on a line of a file.
type Annotation struct {
	Path    string
	Line    int    // from 1
	Col     int    // from 1; 0: the whole line
	Level   string // notice, warning or failure
	Message string
}

// GitHub's limits for a check run. It answers longer actions with an error of its own making.
const (
	maxActions     = 3
	maxLabel       = 20
	maxDescription = 40
	maxCheckTitle  = 250
	maxAnnotations = 50 // in one request
	maxAnnotation  = 60_000
)

// ExternalID is that of the run on GitHub, which comes back with every event about the run.
func (run *CheckRun) ExternalID() string {
	id := strings.TrimSpace(run.owner() + " " + run.Present)
	if run.Turns > 0 {
		id += fmt.Sprintf("%s%d", turn, run.Turns)
	}
	return id
}

// turn stands before the number of turns in an external id.
const turn = " #"

// Stands returns what an external id says of how the subject of a run stood: its subject and its promotion.
func Stands(externalID string) string {
	_, id, _ := strings.Cut(externalID, "/")
	id, _, _ = strings.Cut(id, turn)
	return id
}

// Has reports whether an external id is that of the run, or was.
func (run *CheckRun) Has(externalID string) bool {
	return externalID == run.owner() || strings.HasPrefix(externalID, run.owner()+" ")
}

// owner begins the external ids that the run has one after the other.
func (run *CheckRun) owner() string { return fmt.Sprintf("%d/%s", run.Pipeline, run.Subject) }

func (run *CheckRun) name() string { return fmt.Sprintf("check run %q on %s", run.Name, run.SHA) }

// say makes the check run or updates it. Where GitHub would keep the run as it was completed, where the run is
// outdated, or gone, another one of the same name takes its place: GitHub shows the newest.
func (run *CheckRun) say(ctx context.Context, c *Client) (saying, error) {
	if run.ID <= run.Outdated || run.Was == (RunState{}) {
		run.Known = Known{}
	}
	if run.Node == "" && !run.Fresh {
		if err := run.find(ctx, c); err != nil {
			return saying{}, err
		}
	}
	wants := RunState{run.Status, run.Conclusion}
	if run.Was.completed() && run.Was != wants {
		run.Known = Known{}
	}
	repository, err := c.nodeID(ctx)
	if err != nil {
		return saying{}, err
	}
	var answer struct {
		CheckRun struct {
			Node       string `json:"id"`
			ID         int64  `json:"databaseId"`
			Status     string `json:"status"`
			Conclusion string `json:"conclusion"`
		} `json:"checkRun"`
	}
	s := step{
		field: "createCheckRun", input: run.input(repository), wants: "checkRun { id databaseId status conclusion }",
		into: &answer,
	}
	if run.Node != "" {
		s.field = "updateCheckRun"
	}
	return saying{step: s, heard: func(err error) (Known, bool, error) {
		known, isNew := Known{ID: answer.CheckRun.ID, Node: answer.CheckRun.Node}, run.Node == ""
		is := RunState{strings.ToLower(answer.CheckRun.Status), strings.ToLower(answer.CheckRun.Conclusion)}
		keeps := err == nil && is.completed() && is != wants
		switch {
		case !isNew && (keeps || errors.Is(err, ErrNotFound)):
			run.Known, run.Was, run.Fresh = Known{}, RunState{}, true
			return Known{}, true, nil
		case err == nil && (known.ID <= 0 || known.Node == ""):
			return Known{}, false, incomplete("the check run that it made")
		}
		return known, false, err
	}}, nil
}

// find finds the newest run of that name, pipeline and subject on the commit that is not outdated, if there is
// one. The latest of a name that GitHub would pick out may be that of another pipeline, or of other freight.
func (run *CheckRun) find(ctx context.Context, c *Client) error {
	newest := run.Outdated
	return pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := c.rest.Checks.ListCheckRunsForRef(ctx, c.owner, c.name, string(run.SHA),
			&github.ListCheckRunsOptions{
				CheckName: github.String(run.Name), AppID: github.Int64(c.hub.config.AppID), Filter: github.String("all"),
				ListOptions: *page,
			})
		if err != nil {
			return nil, err
		}
		for _, one := range some.CheckRuns {
			if one.GetName() == run.Name && run.Has(one.GetExternalID()) && one.GetID() > newest {
				if one.GetNodeID() == "" {
					return nil, incomplete("a check run")
				}
				newest, run.Known = one.GetID(), Known{ID: one.GetID(), Node: one.GetNodeID()}
				run.Was = RunState{one.GetStatus(), one.GetConclusion()}
			}
		}
		return response, nil
	})
}

// input returns the fields of the run for GitHub. Its commit and its annotations are sent once.
func (run *CheckRun) input(repository any) map[string]any {
	output := map[string]any{"title": clip(run.Title, maxCheckTitle), "summary": clip(run.Summary, maxBody)}
	input := map[string]any{"repositoryId": repository, "name": run.Name, "output": output}
	if run.Node != "" {
		input["checkRunId"] = run.Node
	} else {
		input["headSha"] = run.SHA
		output["annotations"] = run.annotations()
	}
	for field, text := range map[string]string{
		"externalId": run.ExternalID(), "detailsUrl": run.DetailsURL, "status": strings.ToUpper(run.Status),
		"conclusion": strings.ToUpper(run.Conclusion),
	} {
		if text != "" {
			input[field] = text
		}
	}
	if actions := run.actions(); len(actions) > 0 || run.Node != "" { // an empty list takes buttons away
		input["actions"] = actions
	}
	return input
}

func (run *CheckRun) annotations() []map[string]any {
	all := []map[string]any{}
	for _, a := range run.Annotations[:min(len(run.Annotations), maxAnnotations)] {
		at := map[string]any{"startLine": a.Line, "endLine": a.Line}
		if a.Col > 0 {
			at["startColumn"], at["endColumn"] = a.Col, a.Col
		}
		all = append(all, map[string]any{
			"path": a.Path, "location": at, "annotationLevel": strings.ToUpper(a.Level),
			"message": clip(a.Message, maxAnnotation),
		})
	}
	return all
}

func (run *CheckRun) actions() []map[string]any {
	actions := []map[string]any{}
	for _, a := range run.Actions[:min(len(run.Actions), maxActions)] {
		actions = append(actions, map[string]any{
			"label": clip(a.Label, maxLabel), "description": clip(a.Description, maxDescription), "identifier": a.Identifier,
		})
	}
	return actions
}

// optional leaves out empty texts.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
