package githubsim

import (
	"slices"

	"waybill/internal/githubsim/graph"
)

// mergeQueue is the queue of a branch; null where there is none.
func (g *resolver) mergeQueue(r *repository, branch string) *graph.Object {
	if !r.protections[branch].MergeQueue {
		return nil
	}
	return &graph.Object{Type: "MergeQueue", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(nodeID("MQ", r.id) + ":" + branch), "url": graph.Value(g.Render.HTML(r, "/queue/"+branch)),
		"repository": func(graph.Args) (any, error) { return g.repository(r), nil },
		"entries": func(args graph.Args) (any, error) {
			return graph.Connection("MergeQueueEntry", args, r.entriesOf(branch), func(e *queueEntry) *graph.Object { return g.queueEntry(r, e) })
		},
	}}
}

func (g *resolver) queueEntry(r *repository, e *queueEntry) *graph.Object {
	if e == nil {
		return nil
	}
	state := "AWAITING_CHECKS"
	if r.groupState(e) == "" {
		state = "MERGEABLE"
	}
	return &graph.Object{Type: "MergeQueueEntry", Is: []string{"Node"}, Fields: graph.Fields{
		"id": graph.Value(nodeID("MQE", e.id)), "position": graph.Value(slices.Index(r.entriesOf(e.pull.baseRef), e) + 1), "state": graph.Value(state),
		"enqueuedAt": graph.Value(stamp(e.since)), "jump": graph.Value(e.jump), "solo": graph.Value(false),
		"enqueuer":    func(graph.Args) (any, error) { return g.actor(e.by), nil },
		"baseCommit":  func(graph.Args) (any, error) { return g.commit(r, e.base), nil },
		"headCommit":  func(graph.Args) (any, error) { return g.commit(r, e.head), nil },
		"pullRequest": func(graph.Args) (any, error) { return g.pull(r, e.pull), nil },
	}}
}

func (g *resolver) enqueuePullRequest(in graph.Args) (graph.Fields, error) {
	r, p, err := g.pullNode(in.Text("pullRequestId"), "contents:write")
	if err != nil {
		return nil, err
	}
	if expected := in.Text("expectedHeadOid"); expected != "" && expected != p.headSHA {
		return nil, invalid("Head branch was modified. Review and try the merge again.")
	}
	e, err := g.Queues.Enter(r, p, in.Bool("jump"), g.who.account)
	if err != nil {
		return nil, err
	}
	return graph.Fields{"mergeQueueEntry": graph.Value(g.queueEntry(r, e))}, nil
}

func (g *resolver) dequeuePullRequest(in graph.Args) (graph.Fields, error) {
	r, p, err := g.pullNode(in.Text("id"), "contents:write")
	if err != nil {
		return nil, err
	}
	e := r.entryOf(p)
	if e == nil {
		return nil, invalid("Pull request is not in the merge queue.")
	}
	node := g.queueEntry(r, e)
	if err := g.Queues.Leave(r, e, removedByHand, g.who.account); err != nil {
		return nil, err
	}
	return graph.Fields{"mergeQueueEntry": graph.Value(node)}, nil
}
