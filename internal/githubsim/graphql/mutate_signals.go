package graphql

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/render"

import (
	"net/http"
	"strings"

	"waybill/internal/githubsim/graph"
)

// lowWord returns an enum value in REST's spelling, or nil if it is absent.
func lowWord(in graph.Args, name string) *string {
	text := in.Optional(name)
	if text == nil {
		return nil
	}
	lowered := strings.ToLower(*text)
	return &lowered
}

// needApp refuses to let callers other than Apps write check runs.
func (g *mutations) needApp() error {
	if g.who.App == nil {
		return hub.Refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	return nil
}

// runChangeOf reads the input that both mutations of check runs share.
func runChangeOf(in graph.Args) hub.RunChange {
	change := hub.RunChange{
		Name: in.Optional("name"), HeadSHA: in.Text("headSha"), DetailsURL: in.Optional("detailsUrl"),
		ExternalID: in.Optional("externalId"),
		Status:     lowWord(in, "status"), Conclusion: lowWord(in, "conclusion"),
	}
	if _, given := in["actions"]; given {
		change.Actions = []obj{}
	}
	for _, one := range in.Objects("actions") {
		change.Actions = append(change.Actions, obj{
			"label": one.Text("label"), "description": one.Text("description"), "identifier": one.Text("identifier"),
		})
	}
	if _, given := in["output"]; !given {
		return change
	}
	output := in.Object("output")
	change.Output = &hub.RunOutput{
		Title: output.Optional("title"), Summary: output.Optional("summary"), Text: output.Optional("text"),
	}
	for _, one := range output.Objects("annotations") {
		change.Output.Annotations = append(change.Output.Annotations, annotationOf(one))
	}
	return change
}

// annotationOf converts an annotation to the form of the REST API.
func annotationOf(in graph.Args) obj {
	at := in.Object("location")
	annotation := obj{
		"path": in.Text("path"), "annotation_level": strings.ToLower(in.Text("annotationLevel")),
		"message":    in.Text("message"),
		"start_line": float64(at.Int("startLine", 0)), "end_line": float64(at.Int("endLine", 0)),
	}
	for field, name := range map[string]string{"startColumn": "start_column", "endColumn": "end_column"} {
		if _, given := at[field]; given {
			annotation[name] = float64(at.Int(field, 0))
		}
	}
	return annotation
}

func (g *mutations) createCheckRun(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("repositoryId"), "checks:write")
	if err != nil {
		return nil, err
	}
	if err := g.needApp(); err != nil {
		return nil, err
	}
	run, err := g.Checks.Create(r, g.who.App, runChangeOf(in))
	if err != nil {
		return nil, err
	}
	return graph.Fields{"checkRun": graph.Value(g.checkRun(r, run))}, nil
}

func (g *mutations) updateCheckRun(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("repositoryId"), "checks:write")
	if err != nil {
		return nil, err
	}
	if err := g.needApp(); err != nil {
		return nil, err
	}
	kind, number, _ := render.SplitNode(in.Text("checkRunId"))
	run, err := r.Run(number)
	if kind != "CR" || err != nil {
		return nil, noNode(in.Text("checkRunId"))
	}
	said, err := g.Checks.Update(r, run, g.who.App, runChangeOf(in))
	if err != nil {
		return nil, err
	}
	return graph.Fields{"checkRun": graph.Value(g.checkRun(r, said))}, nil
}

func (g *mutations) createDeploymentStatusMutation(in graph.Args) (graph.Fields, error) {
	r, d, err := g.deploymentNode(in.Text("deploymentId"), "deployments:write")
	if err != nil {
		return nil, err
	}
	change := hub.DeploymentStatusSpec{
		State: strings.ToLower(in.Text("state")), LogURL: in.Text("logUrl"), Description: in.Text("description"),
		Environment: in.Text("environment"), EnvironmentURL: in.Text("environmentUrl"),
	}
	if _, given := in["autoInactive"]; given {
		retire := in.Bool("autoInactive")
		change.AutoInactive = &retire
	}
	status, err := g.Deployments.SetStatus(r, d, change, g.who.Account, g.who.App)
	if err != nil {
		return nil, err
	}
	return graph.Fields{"deploymentStatus": graph.Value(g.deploymentStatus(status))}, nil
}
