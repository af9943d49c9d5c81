package graphql

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/render"

import (
	"strings"

	"waybill/internal/githubsim/graph"
)

func (g *mutations) addCommentMutation(in graph.Args) (graph.Fields, error) {
	r, i, err := g.issueNodeOf(in.Text("subjectId"), "issues:write")
	if err != nil {
		return nil, err
	}
	if err := g.limits.Create(g.who, "IssueComment"); err != nil {
		return nil, err
	}
	c, err := g.Tracker.Comment(r, i, g.who.Account, g.who.App, in.Text("body"))
	if err != nil {
		return nil, err
	}
	node := g.comment(r, c)
	edge := &graph.Object{
		Type: "IssueCommentEdge", Fields: graph.Fields{
			"node": graph.Value(node), "cursor": graph.Value(render.NodeID("IC", c.ID)),
		},
	}
	subject := &graph.Object{Type: "Issue", Is: []string{"Node"}, Fields: g.issueFields(r, i)}
	if i.Pull != nil {
		subject = g.pull(r, i.Pull)
	}
	return graph.Fields{"commentEdge": graph.Value(edge), "subject": graph.Value(subject)}, nil
}

// onComment runs a mutation of one comment and returns it in the payload's field of that name.
func (g *mutations) onComment(id, field string,
	change func(r *hub.Repository, c *hub.Comment) error) (graph.Fields, error) {
	r, c, err := g.commentNode(id, "issues:write")
	if err != nil {
		return nil, err
	}
	if err := change(r, c); err != nil {
		return nil, err
	}
	if field == "" {
		return graph.Fields{}, nil
	}
	return graph.Fields{field: graph.Value(g.comment(r, c))}, nil
}

func (g *mutations) updateIssueComment(in graph.Args) (graph.Fields, error) {
	return g.onComment(in.Text("id"), "issueComment", func(r *hub.Repository, c *hub.Comment) error {
		return g.Tracker.EditComment(r, c, g.who.Account, in.Text("body"))
	})
}

func (g *mutations) deleteIssueComment(in graph.Args) (graph.Fields, error) {
	return g.onComment(in.Text("id"), "", func(r *hub.Repository, c *hub.Comment) error {
		g.Tracker.DeleteComment(r, c, g.who.Account)
		return nil
	})
}

func (g *mutations) minimizeComment(in graph.Args) (graph.Fields, error) {
	return g.onComment(in.Text("subjectId"), "minimizedComment", func(_ *hub.Repository, c *hub.Comment) error {
		g.Tracker.Minimize(c, strings.ToLower(in.Text("classifier")))
		return nil
	})
}

func (g *mutations) unminimizeComment(in graph.Args) (graph.Fields, error) {
	return g.onComment(in.Text("subjectId"), "unminimizedComment", func(_ *hub.Repository, c *hub.Comment) error {
		g.Tracker.Minimize(c, "")
		return nil
	})
}
