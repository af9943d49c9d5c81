package graphql

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/render"

import (
	"slices"

	"waybill/internal/githubsim/graph"
)

// mergeQueue returns the merge queue of a branch, or null.
func (g *objects) mergeQueue(r *hub.Repository, branch string) *graph.Object {
	if !r.Protections[branch].MergeQueue {
		return nil
	}
	return &graph.Object{Type: "MergeQueue", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(render.NodeID("MQ", r.ID) + ":" + branch), "url": graph.Value(g.Render.HTML(r, "/queue/"+branch)),
		"repository": func(graph.Args) (any, error) { return g.repository(r), nil },
		"entries": func(args graph.Args) (any, error) {
			return graph.Connection("MergeQueueEntry", args, r.EntriesOf(branch),
				func(e *hub.QueueEntry) *graph.Object { return g.queueEntry(r, e) })
		},
	}}
}

func (g *objects) queueEntry(r *hub.Repository, e *hub.QueueEntry) *graph.Object {
	if e == nil {
		return nil
	}
	state := "AWAITING_CHECKS"
	if r.GroupState(e) == "" {
		state = "MERGEABLE"
	}
	return &graph.Object{Type: "MergeQueueEntry", Is: []string{"Node"}, Fields: graph.Fields{
		"id":       graph.Value(render.NodeID("MQE", e.ID)),
		"position": graph.Value(slices.Index(r.EntriesOf(e.Pull.BaseRef), e) + 1), "state": graph.Value(state),
		"enqueuedAt": graph.Value(render.Stamp(e.Since)), "jump": graph.Value(e.Jump), "solo": graph.Value(false),
		"enqueuer":    func(graph.Args) (any, error) { return g.actor(e.By), nil },
		"baseCommit":  func(graph.Args) (any, error) { return g.commit(r, e.Base), nil },
		"headCommit":  func(graph.Args) (any, error) { return g.commit(r, e.Head), nil },
		"pullRequest": func(graph.Args) (any, error) { return g.pull(r, e.Pull), nil },
	}}
}
