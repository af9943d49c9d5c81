// Package graphql implements the GraphQL API: objects and mutations over the hub, which package graph executes.
package graphql

import "waybill/internal/githubsim/access"

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/render"

import "waybill/internal/githubsim/wire"

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim/contract"
	"waybill/internal/githubsim/graph"
)

// API is the GraphQL API.
type API struct {
	Setup
	// MostThings is of how many things a query may ask; 0: of any number. The hub's lock guards it.
	MostThings int
}

// Setup has the parts of the simulator that the GraphQL API uses.
type Setup struct {
	Hub      *hub.Hub
	Render   *render.Renderer
	Tokens   *access.Tokens
	Limits   *access.Limits
	Contract *contract.Contract // nil: documents are not checked
	Report   func(error)
}

// New returns the GraphQL API.
func New(s Setup) *API { return &API{Setup: s} }

// objects renders the hub as GraphQL objects for one caller.
type objects struct {
	*hub.Hub
	Render *render.Renderer
	limits *access.Limits
	who    hub.Caller
}

// ServeHTTP executes one document under the lock. It answers with status 200, errors included, unless credentials are
// missing or wrong, a limit is reached, or the JSON is malformed.
func (s *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := wire.ReadBody(w, r)
	if err != nil {
		return
	}
	end := s.Hub.Request()
	out := s.answer(r, raw)
	end()
	wire.Write(w, r, out)
}

func (s *API) answer(r *http.Request, raw []byte) reply {
	header := http.Header{}
	who, err := s.Tokens.Authenticate(r)
	if err == nil && (who.Kind == hub.AsNobody || who.Kind == hub.AsApp) {
		err = hub.Refuse(http.StatusUnauthorized, "This endpoint requires you to be authenticated.")
	}
	if err == nil {
		err = s.Limits.Spend(who, access.GraphQL)
	}
	s.Limits.Headers(who, access.GraphQL, header)
	if err != nil {
		e := hub.AsRefusal(err)
		return reply{Status: e.Status, Body: e.JSON(), Header: header}
	}
	var request graph.Request
	if err := json.Unmarshal(raw, &request); err != nil {
		e := hub.AsRefusal(hub.Refuse(http.StatusBadRequest, "Problems parsing JSON"))
		return reply{Status: e.Status, Body: e.JSON(), Header: header}
	}
	if s.Contract != nil {
		if err := s.Contract.CheckGraphQL(request.Query, request.Variables); err != nil {
			return reply{Status: http.StatusOK, Body: obj{"errors": []any{obj{"message": err.Error()}}}, Header: header}
		}
	}
	if s.MostThings > 0 && things(request) > s.MostThings {
		return reply{Status: http.StatusOK, Header: header, Body: obj{"data": nil, "errors": []any{obj{
			"type": "RESOURCE_LIMITS_EXCEEDED", "message": "Resource limits for this query exceeded.",
		}}}}
	}
	g := &objects{Hub: s.Hub, Render: s.Render, limits: s.Limits, who: who}
	answer := graph.Execute(request, graph.Roots{
		Query: g.query(), Mutation: (&mutations{g}).root(wire.FieldErrorOf(r.Context())),
		Fails: failing(wire.FailingPart(r.Context())),
	})
	for _, gap := range answer.Unsupported {
		s.Report(fmt.Errorf("GraphQL: %w", gap))
	}
	return reply{Status: http.StatusOK, Body: answer, Header: header}
}

// things returns about of how many things a query asks: clients number its variables by thing.
func things(request graph.Request) (n int) {
	if strings.HasPrefix(strings.TrimSpace(request.Query), "mutation") {
		return 0
	}
	for name := range request.Variables {
		if i, err := strconv.Atoi(name[1:]); err == nil {
			n = max(n, i+1)
		}
	}
	return n
}

// mayBeNull are the fields of a query that GitHub's schema lets be null, and that have answers of some size.
var mayBeNull = []string{
	"Repository.object", "Repository.ref", "Repository.pullRequest", "Commit.checkSuites", "Commit.deployments",
}

// failing makes one of these fields fail, counted from 1 in the order of the answer, in the words with which GitHub
// gives up a part of a query; 0: none.
func failing(part int) func(object, field string) error {
	if part == 0 {
		return nil
	}
	return func(object, field string) error {
		if !slices.Contains(mayBeNull, object+"."+field) {
			return nil
		}
		if part--; part != 0 {
			return nil
		}
		return &graph.Error{Message: "Something went wrong while executing your query. This may be the result of a " +
			"timeout, or it could be a GitHub bug."}
	}
}

// need checks a permission of the caller on a repository.
func (g *objects) need(r *hub.Repository, permissions string) error {
	err := access.Authorize(g.who, r, access.Needs(permissions))
	if err == nil {
		return nil
	}
	if hub.AsRefusal(err).Status == http.StatusNotFound {
		return g.noRepository(r.FullName())
	}
	return &graph.Error{Type: "FORBIDDEN", Message: hub.AsRefusal(err).Message}
}

func (g *objects) noRepository(fullName string) error {
	return &graph.Error{Type: "NOT_FOUND", Message: fmt.Sprintf("Could not resolve to a Repository with the name '%s'.",
		fullName)}
}

// guarded resolves a field only for callers with a permission.
func (g *objects) guarded(r *hub.Repository, permissions string, resolve graph.Resolver) graph.Resolver {
	return func(args graph.Args) (any, error) {
		if err := g.need(r, permissions); err != nil {
			return nil, err
		}
		return resolve(args)
	}
}

func (g *objects) query() *graph.Object {
	return &graph.Object{Type: "Query", Fields: graph.Fields{
		"repository": func(args graph.Args) (any, error) {
			fullName := args.Text("owner") + "/" + args.Text("name")
			r, found := g.Repos.Find(fullName)
			if !found {
				return nil, g.noRepository(fullName)
			}
			if err := g.need(r, "metadata:read"); err != nil {
				return nil, g.noRepository(fullName)
			}
			return g.repository(r), nil
		},
		"node": func(args graph.Args) (any, error) { return g.node(args.Text("id")) },
		"nodes": func(args graph.Args) (any, error) {
			var nodes []*graph.Object
			for _, id := range args.Texts("ids") {
				node, err := g.node(id)
				if err != nil {
					return nil, err
				}
				nodes = append(nodes, node)
			}
			return nodes, nil
		},
		"rateLimit": func(graph.Args) (any, error) { return g.rateLimit(), nil },
		"viewer":    func(graph.Args) (any, error) { return g.actor(g.who.Account), nil },
		"user": func(args graph.Args) (any, error) {
			a, found := g.Accounts.Find(args.Text("login"))
			if !found || a.Kind != hub.KindUser {
				return nil, &graph.Error{
					Type: "NOT_FOUND", Message: fmt.Sprintf("Could not resolve to a User with the login of '%s'.", args.Text("login")),
				}
			}
			return g.actor(a), nil
		},
	}}
}

// rateLimit is null where there are no limits.
func (g *objects) rateLimit() *graph.Object {
	if g.limits.Off() {
		return nil
	}
	used, reset := g.limits.Used(g.who, access.GraphQL)
	most := g.limits.PerHour()
	return &graph.Object{Type: "RateLimit", Fields: graph.Fields{
		"limit": graph.Value(most), "cost": graph.Value(g.limits.Cost(access.GraphQL)), "used": graph.Value(used),
		"remaining": graph.Value(max(0, most-used)),
		"resetAt":   graph.Value(render.Stamp(reset)), "nodeCount": graph.Value(0),
	}}
}

// actor renders a user, bot or organization.
func (g *objects) actor(a *hub.Account) *graph.Object {
	if a == nil {
		return nil
	}
	login := a.Login
	is := []string{"Actor", "Node", "RepositoryOwner", "UniformResourceLocatable"}
	if a.Kind == hub.KindBot {
		is = slices.DeleteFunc(is, func(one string) bool { return one == "RepositoryOwner" })
		login = login[:len(login)-len("[bot]")] // GraphQL omits the suffix
	}
	return &graph.Object{Type: a.Kind, Is: is, Fields: graph.Fields{
		"id": graph.Value(render.NodeID("U", a.ID)), "databaseId": graph.Value(a.ID), "login": graph.Value(login),
		"name": graph.Value(a.Login),
		"url":  graph.Value(g.Render.URL + "/" + login), "resourcePath": graph.Value("/" + login),
		"avatarUrl": graph.Value(g.Render.URL + "/" + login + ".png"),
	}}
}
