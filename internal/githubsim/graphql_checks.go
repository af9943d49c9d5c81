package githubsim

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim/graph"
)

// enum writes a REST word as GraphQL does; null for none.
func enum(word string) any {
	if word == "" {
		return nil
	}
	return strings.ToUpper(word)
}

func (g *resolver) app(a *app) *graph.Object {
	return &graph.Object{Type: "App", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(nodeID("A", a.id)), "databaseId": graph.Value(a.id), "slug": graph.Value(a.slug), "name": graph.Value(a.slug),
	}}
}

func (g *resolver) suites(r *repository, sha string, args graph.Args) (any, error) {
	filter := args.Object("filterBy")
	appID, name := filter.Int("appId", 0), filter.Text("checkName")
	var chosen []*checkSuite
	for _, s := range r.suites {
		named := name == "" || slices.ContainsFunc(r.runsOf(s), func(run *checkRun) bool { return run.name == name })
		if s.sha == sha && (appID == 0 || s.app.id == int64(appID)) && named {
			chosen = append(chosen, s)
		}
	}
	return graph.Connection("CheckSuite", args, chosen, func(s *checkSuite) *graph.Object { return g.checkSuite(r, s) })
}

func (g *resolver) checkSuite(r *repository, s *checkSuite) *graph.Object {
	v := graph.Value
	status, conclusion := r.suiteState(s)
	return &graph.Object{Type: "CheckSuite", Is: []string{"Node"}, Fields: graph.Fields{
		"id": v(nodeID("CS", s.id)), "databaseId": v(s.id), "status": v(enum(status)), "conclusion": v(enum(conclusion)),
		"createdAt": v(stamp(s.created)), "updatedAt": v(stamp(s.updated)), "url": v(g.Render.HTML(r, "/commit/"+s.sha+"/checks?check_suite_id="+strconv.FormatInt(s.id, 10))),
		"app":    func(graph.Args) (any, error) { return g.app(s.app), nil },
		"branch": func(graph.Args) (any, error) { return g.ref(r, "refs/heads/"+s.branch), nil },
		"commit": func(graph.Args) (any, error) { return g.commit(r, s.sha), nil },
		"checkRuns": func(args graph.Args) (any, error) {
			return graph.Connection("CheckRun", args, chosenRuns(r.runsOf(s), args), func(run *checkRun) *graph.Object { return g.checkRun(r, run) })
		},
		"workflowRun": func(graph.Args) (any, error) { return g.workflowRun(r, s), nil },
	}}
}

// chosenRuns applies the arguments of checkRuns. Without a checkType all runs are answered.
func chosenRuns(newestFirst []*checkRun, args graph.Args) []*checkRun {
	filter := args.Object("filterBy")
	runs := newestFirst
	if filter.Text("checkType") == "LATEST" {
		runs = latestByName(newestFirst)
	}
	var chosen []*checkRun
	for _, run := range runs {
		name, status, appID := filter.Text("checkName"), filter.Text("status"), filter.Int("appId", 0)
		if (name == "" || name == run.name) && (status == "" || status == enum(run.status)) && (appID == 0 || int64(appID) == run.suite.app.id) {
			chosen = append(chosen, run)
		}
	}
	return chosen
}

func (g *resolver) workflowRun(r *repository, s *checkSuite) *graph.Object {
	for _, run := range r.workflowRuns {
		if run.suite == s {
			return &graph.Object{Type: "WorkflowRun", Is: []string{"Node"}, Fields: graph.Fields{
				"id": graph.Value(nodeID("WFR", run.id)), "databaseId": graph.Value(run.id), "event": graph.Value(run.event),
				"url": graph.Value(g.Render.HTML(r, "/actions/runs/"+strconv.FormatInt(run.id, 10))), "createdAt": graph.Value(stamp(run.created)),
			}}
		}
	}
	return nil
}

func (g *resolver) checkRun(r *repository, run *checkRun) *graph.Object {
	v := graph.Value
	return &graph.Object{Type: "CheckRun", Is: []string{"Node", "StatusCheckRollupContext", "UniformResourceLocatable"}, Fields: graph.Fields{
		"id": v(nodeID("CR", run.id)), "databaseId": v(run.id), "name": v(run.name), "status": v(enum(run.status)), "conclusion": v(enum(run.conclusion)),
		"startedAt": v(stamp(run.started)), "completedAt": v(stamp(run.completed)), "externalId": v(optional(run.externalID)),
		"detailsUrl": v(cmp.Or(run.detailsURL, g.Render.HTML(r, "/runs/"+strconv.FormatInt(run.id, 10)))), "url": v(g.Render.HTML(r, "/runs/"+strconv.FormatInt(run.id, 10))),
		"permalink": v(g.Render.HTML(r, "/runs/"+strconv.FormatInt(run.id, 10))), "title": v(optional(run.title)), "summary": v(optional(run.summary)), "text": v(optional(run.text)),
		"checkSuite": func(graph.Args) (any, error) { return g.checkSuite(r, run.suite), nil },
		"repository": func(graph.Args) (any, error) { return g.repository(r), nil },
	}}
}

// status is a commit's combined status; null when nobody set one.
func (g *resolver) status(r *repository, sha string) *graph.Object {
	latest := r.latestStatuses(sha)
	if len(latest) == 0 {
		return nil
	}
	render := func(s *status) *graph.Object { return g.statusContext(r, s) }
	return &graph.Object{Type: "Status", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(nodeID("ST", r.id) + ":" + sha), "state": graph.Value(enum(combined(latest))),
		"commit": func(graph.Args) (any, error) { return g.commit(r, sha), nil },
		"contexts": func(graph.Args) (any, error) {
			var contexts []*graph.Object
			for _, s := range latest {
				contexts = append(contexts, render(s))
			}
			return contexts, nil
		},
		"context": func(args graph.Args) (any, error) {
			for _, s := range latest {
				if s.context == args.Text("name") {
					return render(s), nil
				}
			}
			return nil, nil
		},
	}}
}

func (g *resolver) statusContext(r *repository, s *status) *graph.Object {
	v := graph.Value
	return &graph.Object{Type: "StatusContext", Is: []string{"Node", "StatusCheckRollupContext"}, Fields: graph.Fields{
		"id": v(nodeID("SC", s.id)), "context": v(s.context), "state": v(enum(s.state)), "description": v(optional(s.description)),
		"targetUrl": v(optional(s.targetURL)), "createdAt": v(stamp(s.created)),
		"creator": func(graph.Args) (any, error) { return g.actor(s.creator), nil },
		"commit":  func(graph.Args) (any, error) { return g.commit(r, s.sha), nil },
	}}
}

// rollup is everything that reports on a commit in one list; null when nothing does.
func (g *resolver) rollup(r *repository, sha string) *graph.Object {
	runs, statuses := r.latestRuns(sha), r.latestStatuses(sha)
	if len(runs)+len(statuses) == 0 {
		return nil
	}
	state := "SUCCESS"
	for _, run := range runs {
		state = worse(state, rollupState(r.checkState(sha, run.name)))
	}
	for _, s := range statuses {
		state = worse(state, rollupState(r.checkState(sha, s.context)))
	}
	var contexts []*graph.Object
	for _, run := range runs {
		contexts = append(contexts, g.checkRun(r, run))
	}
	for _, s := range statuses {
		contexts = append(contexts, g.statusContext(r, s))
	}
	return &graph.Object{Type: "StatusCheckRollup", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(nodeID("SCR", r.id) + ":" + sha), "state": graph.Value(state),
		"commit": func(graph.Args) (any, error) { return g.commit(r, sha), nil },
		"contexts": func(args graph.Args) (any, error) {
			return graph.Connection("StatusCheckRollupContext", args, contexts, func(o *graph.Object) *graph.Object { return o })
		},
	}}
}

// rollupState words a checkState as a StatusState.
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
