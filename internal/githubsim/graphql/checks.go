package graphql

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/render"

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim/graph"
)

// enum converts a value of REST to a GraphQL enum; null if it is empty.
func enum(word string) any {
	if word == "" {
		return nil
	}
	return strings.ToUpper(word)
}

func (g *objects) app(a *hub.App) *graph.Object {
	return &graph.Object{Type: "App", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(render.NodeID("A", a.ID)), "databaseId": graph.Value(a.ID), "slug": graph.Value(a.Slug),
		"name": graph.Value(a.Slug),
	}}
}

func (g *objects) suites(r *hub.Repository, sha string, args graph.Args) (any, error) {
	filter := args.Object("filterBy")
	appID, name := filter.Int("appId", 0), filter.Text("checkName")
	var chosen []*hub.CheckSuite
	for _, s := range r.Suites {
		named := name == "" || slices.ContainsFunc(r.RunsOf(s), func(run *hub.CheckRun) bool { return run.Name == name })
		if s.SHA == sha && (appID == 0 || s.App.ID == int64(appID)) && named {
			chosen = append(chosen, s)
		}
	}
	return graph.Connection("CheckSuite", args, chosen,
		func(s *hub.CheckSuite) *graph.Object { return g.checkSuite(r, s) })
}

func (g *objects) checkSuite(r *hub.Repository, s *hub.CheckSuite) *graph.Object {
	v := graph.Value
	status, conclusion := r.SuiteState(s)
	return &graph.Object{Type: "CheckSuite", Is: []string{"Node"}, Fields: graph.Fields{
		"id": v(render.NodeID("CS", s.ID)), "databaseId": v(s.ID), "status": v(enum(status)),
		"conclusion": v(enum(conclusion)),
		"createdAt":  v(render.Stamp(s.Created)), "updatedAt": v(render.Stamp(s.Updated)),
		"url":    v(g.Render.HTML(r, "/commit/"+s.SHA+"/checks?check_suite_id="+strconv.FormatInt(s.ID, 10))),
		"app":    func(graph.Args) (any, error) { return g.app(s.App), nil },
		"branch": func(graph.Args) (any, error) { return g.ref(r, "refs/heads/"+s.Branch), nil },
		"commit": func(graph.Args) (any, error) { return g.commit(r, s.SHA), nil },
		"checkRuns": func(args graph.Args) (any, error) {
			return graph.Connection("CheckRun", args, chosenRuns(r.RunsOf(s), args),
				func(run *hub.CheckRun) *graph.Object { return g.checkRun(r, run) })
		},
		"workflowRun": func(graph.Args) (any, error) { return g.workflowRun(r, s), nil },
	}}
}

// chosenRuns applies the arguments of checkRuns. Without a checkType it returns all runs.
func chosenRuns(newestFirst []*hub.CheckRun, args graph.Args) []*hub.CheckRun {
	filter := args.Object("filterBy")
	runs := newestFirst
	if filter.Text("checkType") == "LATEST" {
		runs = hub.LatestByName(newestFirst)
	}
	var chosen []*hub.CheckRun
	for _, run := range runs {
		name, status, appID := filter.Text("checkName"), filter.Text("status"), filter.Int("appId", 0)
		if (name == "" || name == run.Name) && (status == "" || status == enum(run.Status)) &&
			(appID == 0 || int64(appID) == run.Suite.App.ID) {
			chosen = append(chosen, run)
		}
	}
	return chosen
}

func (g *objects) workflowRun(r *hub.Repository, s *hub.CheckSuite) *graph.Object {
	for _, run := range r.WorkflowRuns {
		if run.Suite == s {
			return &graph.Object{Type: "WorkflowRun", Is: []string{"Node"}, Fields: graph.Fields{
				"id": graph.Value(render.NodeID("WFR", run.ID)), "databaseId": graph.Value(run.ID), "event": graph.Value(run.Event),
				"url":       graph.Value(g.Render.HTML(r, "/actions/runs/"+strconv.FormatInt(run.ID, 10))),
				"createdAt": graph.Value(render.Stamp(run.Created)),
			}}
		}
	}
	return nil
}

func (g *objects) checkRun(r *hub.Repository, run *hub.CheckRun) *graph.Object {
	v := graph.Value
	return &graph.Object{Type: "CheckRun", Is: []string{"Node", "StatusCheckRollupContext", "UniformResourceLocatable"},
		Fields: graph.Fields{
			"id": v(render.NodeID("CR", run.ID)), "databaseId": v(run.ID), "name": v(run.Name), "status": v(enum(run.Status)),
			"conclusion": v(enum(run.Conclusion)),
			"startedAt":  v(render.Stamp(run.Started)), "completedAt": v(render.Stamp(run.Completed)),
			"externalId": v(render.Optional(run.ExternalID)),
			"detailsUrl": v(cmp.Or(run.DetailsURL, g.Render.HTML(r, "/runs/"+strconv.FormatInt(run.ID, 10)))),
			"url":        v(g.Render.HTML(r, "/runs/"+strconv.FormatInt(run.ID, 10))),
			"permalink":  v(g.Render.HTML(r, "/runs/"+strconv.FormatInt(run.ID, 10))), "title": v(render.Optional(run.Title)),
			"summary": v(render.Optional(run.Summary)), "text": v(render.Optional(run.Text)),
			"checkSuite": func(graph.Args) (any, error) { return g.checkSuite(r, run.Suite), nil },
			"repository": func(graph.Args) (any, error) { return g.repository(r), nil },
		}}
}

// status returns a commit's combined status, or null if it has no status.
func (g *objects) status(r *hub.Repository, sha string) *graph.Object {
	latest := r.LatestStatuses(sha)
	if len(latest) == 0 {
		return nil
	}
	show := func(s *hub.Status) *graph.Object { return g.statusContext(r, s) }
	return &graph.Object{Type: "Status", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(render.NodeID("ST", r.ID) + ":" + sha), "state": graph.Value(enum(hub.Combined(latest))),
		"commit": func(graph.Args) (any, error) { return g.commit(r, sha), nil },
		"contexts": func(graph.Args) (any, error) {
			var contexts []*graph.Object
			for _, s := range latest {
				contexts = append(contexts, show(s))
			}
			return contexts, nil
		},
		"context": func(args graph.Args) (any, error) {
			for _, s := range latest {
				if s.Context == args.Text("name") {
					return show(s), nil
				}
			}
			return nil, nil
		},
	}}
}

func (g *objects) statusContext(r *hub.Repository, s *hub.Status) *graph.Object {
	v := graph.Value
	return &graph.Object{Type: "StatusContext", Is: []string{"Node", "StatusCheckRollupContext"}, Fields: graph.Fields{
		"id": v(render.NodeID("SC", s.ID)), "context": v(s.Context), "state": v(enum(s.State)),
		"description": v(render.Optional(s.Description)),
		"targetUrl":   v(render.Optional(s.TargetURL)), "createdAt": v(render.Stamp(s.Created)),
		"creator": func(graph.Args) (any, error) { return g.actor(s.Creator), nil },
		"commit":  func(graph.Args) (any, error) { return g.commit(r, s.SHA), nil },
	}}
}

// rollup returns all check runs and statuses of a commit in one list, or null if it has none.
func (g *objects) rollup(r *hub.Repository, sha string) *graph.Object {
	runs, statuses := r.LatestRuns(sha), r.LatestStatuses(sha)
	if len(runs)+len(statuses) == 0 {
		return nil
	}
	state := "SUCCESS"
	for _, run := range runs {
		state = worse(state, rollupState(r.CheckState(sha, run.Name)))
	}
	for _, s := range statuses {
		state = worse(state, rollupState(r.CheckState(sha, s.Context)))
	}
	var contexts []*graph.Object
	for _, run := range runs {
		contexts = append(contexts, g.checkRun(r, run))
	}
	for _, s := range statuses {
		contexts = append(contexts, g.statusContext(r, s))
	}
	return &graph.Object{Type: "StatusCheckRollup", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(render.NodeID("SCR", r.ID) + ":" + sha), "state": graph.Value(state),
		"commit": func(graph.Args) (any, error) { return g.commit(r, sha), nil },
		"contexts": func(args graph.Args) (any, error) {
			return graph.Connection("StatusCheckRollupContext", args, contexts, func(o *graph.Object) *graph.Object { return o })
		},
	}}
}

// rollupState converts a checkState to a StatusState.
func rollupState(state string) string {
	switch state {
	case "":
		return "SUCCESS"
	case "failing":
		return "FAILURE"
	}
	return "PENDING"
}

func worse(a, b string) string {
	order := []string{"SUCCESS", "PENDING", "FAILURE"}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}
