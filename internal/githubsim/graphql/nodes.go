package graphql

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/render"

import (
	"fmt"

	"waybill/internal/githubsim/graph"
)

func noNode(id string) error {
	return &graph.Error{Type: "NOT_FOUND", Message: fmt.Sprintf("Could not resolve to a node with the global id of '%s'",
		id)}
}

// node finds an object by its id.
func (g *objects) node(id string) (*graph.Object, error) {
	kind, number, rest := render.SplitNode(id)
	for _, r := range g.Repos.Sorted() {
		found := g.nodeIn(r, kind, number, rest)
		if found == nil {
			continue
		}
		if g.need(r, "metadata:read") != nil {
			break
		}
		return found, nil
	}
	return nil, noNode(id)
}

func (g *objects) nodeIn(r *hub.Repository, kind string, number int64, rest string) *graph.Object {
	switch kind {
	case "R", "REF", "C":
		if r.ID != number {
			return nil
		}
		return map[string]func() *graph.Object{
			"R":   func() *graph.Object { return g.repository(r) },
			"REF": func() *graph.Object { return g.ref(r, rest) },
			"C":   func() *graph.Object { return g.commit(r, rest) },
		}[kind]()
	case "PR":
		if p := r.PullByID(number); p != nil {
			return g.pull(r, p)
		}
	case "IC":
		if c, err := r.Comment(number); err == nil {
			return g.comment(r, c)
		}
	case "CR":
		if run, err := r.Run(number); err == nil {
			return g.checkRun(r, run)
		}
	case "CS":
		for _, s := range r.Suites {
			if s.ID == number {
				return g.checkSuite(r, s)
			}
		}
	case "DE":
		if d, err := r.Deployment(number); err == nil {
			return g.deployment(r, d)
		}
	}
	return nil
}

// repoNode finds the repository of a mutation's input and checks the caller's permission on it.
func (g *objects) repoNode(id, permissions string) (*hub.Repository, error) {
	kind, number, _ := render.SplitNode(id)
	for _, r := range g.Repos.Sorted() {
		if (kind == "R" || kind == "REF") && r.ID == number {
			return r, g.need(r, permissions)
		}
	}
	return nil, noNode(id)
}

// pullNode finds the pull request of a mutation's input.
func (g *objects) pullNode(id, permissions string) (*hub.Repository, *hub.Pull, error) {
	kind, number, _ := render.SplitNode(id)
	for _, r := range g.Repos.Sorted() {
		if p := r.PullByID(number); kind == "PR" && p != nil {
			return r, p, g.need(r, permissions)
		}
	}
	return nil, nil, noNode(id)
}

// issueNodeOf finds the issue or pull request of a mutation's input.
func (g *objects) issueNodeOf(id, permissions string) (*hub.Repository, *hub.Issue, error) {
	kind, number, _ := render.SplitNode(id)
	for _, r := range g.Repos.Sorted() {
		for _, i := range r.Issues {
			if i.ID == number && (kind == "PR" || kind == "I") {
				return r, i, g.need(r, permissions)
			}
		}
	}
	return nil, nil, noNode(id)
}

func (g *objects) commentNode(id, permissions string) (*hub.Repository, *hub.Comment, error) {
	kind, number, _ := render.SplitNode(id)
	for _, r := range g.Repos.Sorted() {
		if c, err := r.Comment(number); kind == "IC" && err == nil {
			return r, c, g.need(r, permissions)
		}
	}
	return nil, nil, noNode(id)
}

// deploymentNode finds the deployment of a mutation's input.
func (g *objects) deploymentNode(id, permissions string) (*hub.Repository, *hub.Deployment, error) {
	kind, number, _ := render.SplitNode(id)
	for _, r := range g.Repos.Sorted() {
		if d, err := r.Deployment(number); kind == "DE" && err == nil {
			return r, d, g.need(r, permissions)
		}
	}
	return nil, nil, noNode(id)
}
