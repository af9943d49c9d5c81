package githubsim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"waybill/internal/githubsim/contract"
	"waybill/internal/githubsim/graph"
)

// Graph is the GraphQL API.
type Graph struct {
	GraphSetup
}

// GraphSetup is what the GraphQL API needs.
type GraphSetup struct {
	Hub      *Hub
	Render   *Render
	Tokens   *Tokens
	Limits   *Limits
	Contract *contract.Contract // nil: documents are not checked
	Report   func(error)
}

// NewGraph serves GraphQL.
func NewGraph(s GraphSetup) *Graph { return &Graph{s} }

// resolver answers GraphQL fields for one caller.
type resolver struct {
	*Hub
	Render *Render
	limits *Limits
	who    caller
}

// ServeHTTP carries out one document under the lock. Everything but a missing or wrong credential, a limit and malformed JSON is
// answered with 200, errors included.
func (s *Graph) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := readBody(w, r)
	if err != nil {
		return
	}
	s.Hub.Lock()
	out := s.answer(r, raw)
	s.Hub.Unlock()
	write(w, r, out)
}

func (s *Graph) answer(r *http.Request, raw []byte) reply {
	header := http.Header{}
	who, err := s.Tokens.Authenticate(r)
	if err == nil && (who.kind == asNobody || who.kind == asApp) {
		err = refuse(http.StatusUnauthorized, "This endpoint requires you to be authenticated.")
	}
	if err == nil {
		err = s.Limits.Spend(who, resourceGraphQL)
	}
	s.Limits.Headers(who, resourceGraphQL, header)
	if err != nil {
		e := asAPIError(err)
		return reply{status: e.status, body: e.json(), header: header}
	}
	var request graph.Request
	if err := json.Unmarshal(raw, &request); err != nil {
		e := asAPIError(refuse(http.StatusBadRequest, "Problems parsing JSON"))
		return reply{status: e.status, body: e.json(), header: header}
	}
	if s.Contract != nil {
		if err := s.Contract.CheckGraphQL(request.Query, request.Variables); err != nil {
			return reply{status: http.StatusOK, body: obj{"errors": []any{obj{"message": err.Error()}}}, header: header}
		}
	}
	g := &resolver{Hub: s.Hub, Render: s.Render, limits: s.Limits, who: who}
	answer := graph.Execute(request, graph.Roots{Query: g.query(), Mutation: g.mutation(FieldErrorOf(r.Context()))})
	for _, gap := range answer.Unsupported {
		s.Report(fmt.Errorf("GraphQL: %w", gap))
	}
	return reply{status: http.StatusOK, body: answer, header: header}
}

// need checks a permission of the caller on a repository.
func (g *resolver) need(r *repository, permissions string) error {
	err := authorize(g.who, r, needs(permissions))
	if err == nil {
		return nil
	}
	if asAPIError(err).status == http.StatusNotFound {
		return g.noRepository(r.fullName())
	}
	return &graph.Error{Type: "FORBIDDEN", Message: asAPIError(err).message}
}

func (g *resolver) noRepository(fullName string) error {
	return &graph.Error{Type: "NOT_FOUND", Message: fmt.Sprintf("Could not resolve to a Repository with the name '%s'.", fullName)}
}

// guarded resolves a field only for callers with a permission.
func (g *resolver) guarded(r *repository, permissions string, resolve graph.Resolver) graph.Resolver {
	return func(args graph.Args) (any, error) {
		if err := g.need(r, permissions); err != nil {
			return nil, err
		}
		return resolve(args)
	}
}

func (g *resolver) query() *graph.Object {
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
		"viewer":    func(graph.Args) (any, error) { return g.actor(g.who.account), nil },
		"user": func(args graph.Args) (any, error) {
			a, found := g.Accounts.Find(args.Text("login"))
			if !found || a.kind != kindUser {
				return nil, &graph.Error{Type: "NOT_FOUND", Message: fmt.Sprintf("Could not resolve to a User with the login of '%s'.", args.Text("login"))}
			}
			return g.actor(a), nil
		},
	}}
}

func (g *resolver) rateLimit() *graph.Object {
	used, reset := g.limits.Used(g.who, resourceGraphQL)
	most := g.limits.PerHour()
	return &graph.Object{Type: "RateLimit", Fields: graph.Fields{
		"limit": graph.Value(most), "cost": graph.Value(1), "used": graph.Value(used), "remaining": graph.Value(max(0, most-used)),
		"resetAt": graph.Value(stamp(reset)), "nodeCount": graph.Value(0),
	}}
}

// actor is a user, bot or organization.
func (g *resolver) actor(a *account) *graph.Object {
	if a == nil {
		return nil
	}
	login := a.login
	is := []string{"Actor", "Node", "RepositoryOwner", "UniformResourceLocatable"}
	if a.kind == kindBot {
		is = slices.DeleteFunc(is, func(one string) bool { return one == "RepositoryOwner" })
		login = login[:len(login)-len("[bot]")] // GraphQL leaves the suffix out
	}
	return &graph.Object{Type: a.kind, Is: is, Fields: graph.Fields{
		"id": graph.Value(nodeID("U", a.id)), "databaseId": graph.Value(a.id), "login": graph.Value(login), "name": graph.Value(a.login),
		"url": graph.Value(g.Render.URL + "/" + login), "resourcePath": graph.Value("/" + login), "avatarUrl": graph.Value(g.Render.URL + "/" + login + ".png"),
	}}
}
