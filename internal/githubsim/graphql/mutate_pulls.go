package graphql

import "waybill/internal/githubsim/hub"

import (
	"cmp"
	"strings"

	"waybill/internal/githubsim/graph"
)

func (g *mutations) createPullRequest(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("repositoryId"), "pull_requests:write")
	if err != nil {
		return nil, err
	}
	head, base := in.Text("headRefName"), in.Text("baseRefName")
	if err := missingSides(r, head, base); err != nil {
		return noPull(), err
	}
	if err := g.limits.Create(g.who, "PullRequest"); err != nil {
		return noPull(), err
	}
	p, err := g.Pulls.Open(r, hub.PullSpec{
		Title: in.Text("title"), Body: in.Text("body"), Head: head, Base: base, Draft: in.Bool("draft"),
	}, g.who.Account)
	if err != nil {
		return noPull(), err
	}
	return graph.Fields{"pullRequest": graph.Value(g.pull(r, p))}, nil
}

// noPull is the payload of a createPullRequest that failed: GitHub answers with an empty pull request instead of null.
func noPull() graph.Fields { return graph.Fields{"pullRequest": graph.Value(nil)} }

// missingSides returns GitHub's error if a branch of a pull request does not exist.
func missingSides(r *hub.Repository, head, base string) error {
	reasons := []string{
		"Head sha can't be blank", "Base sha can't be blank", "No commits between " + base + " and " + head,
	}
	_, headExists := r.Seen().Branch(head)
	_, baseExists := r.Seen().Branch(base)
	if headExists && baseExists {
		return nil
	}
	if !headExists {
		reasons = append(reasons, "Head ref must be a branch")
	}
	if !baseExists {
		reasons = append(reasons, "Base ref must be a branch")
	}
	return hub.Invalid("%s", strings.Join(reasons, ", "))
}

// onPull runs a mutation of one pull request and returns it.
func (g *mutations) onPull(id, permissions string,
	change func(r *hub.Repository, p *hub.Pull) error) (graph.Fields, error) {
	r, p, err := g.pullNode(id, permissions)
	if err != nil {
		return nil, err
	}
	if err := change(r, p); err != nil {
		return nil, err
	}
	return graph.Fields{"pullRequest": graph.Value(g.pull(r, p)), "actor": graph.Value(g.actor(g.who.Account))}, nil
}

func (g *mutations) updatePullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "pull_requests:write", func(r *hub.Repository, p *hub.Pull) error {
		state := in.Optional("state")
		if state != nil {
			*state = strings.ToLower(*state)
		}
		return g.Pulls.Change(r, p, in.Optional("title"), in.Optional("body"), in.Optional("baseRefName"), state,
			g.who.Account)
	})
}

func (g *mutations) closePullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "pull_requests:write", func(r *hub.Repository, p *hub.Pull) error {
		if !p.Open {
			return hub.Invalid("Could not close the pull request.")
		}
		return g.Pulls.Close(r, p, g.who.Account)
	})
}

func (g *mutations) reopenPullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "pull_requests:write", func(r *hub.Repository, p *hub.Pull) error {
		return g.Pulls.Reopen(r, p, g.who.Account)
	})
}

func (g *mutations) mergePullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "contents:write", func(r *hub.Repository, p *hub.Pull) error {
		_, err := g.Merges.Merge(r, p, hub.MergeRequest{
			Method: cmp.Or(strings.ToLower(in.Text("mergeMethod")), "merge"), Title: in.Text("commitHeadline"),
			Message: in.Text("commitBody"), SHA: in.Text("expectedHeadOid"),
		}, g.who.Account)
		return err
	})
}

func (g *mutations) enableAutoMerge(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "contents:write", func(r *hub.Repository, p *hub.Pull) error {
		if expected := in.Text("expectedHeadOid"); expected != "" && expected != p.HeadSHA {
			return hub.Invalid("Head branch was modified. Review and try the merge again.")
		}
		return g.Merges.Arm(r, p, cmp.Or(strings.ToLower(in.Text("mergeMethod")), "merge"), g.who.Account)
	})
}

func (g *mutations) disableAutoMerge(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "contents:write", func(r *hub.Repository, p *hub.Pull) error {
		if p.AutoMerge == nil {
			return hub.Invalid("Can't disable auto-merge for this pull request.")
		}
		g.Pulls.Disarm(r, p, g.who.Account)
		return nil
	})
}

func (g *mutations) enqueuePullRequest(in graph.Args) (graph.Fields, error) {
	r, p, err := g.pullNode(in.Text("pullRequestId"), "contents:write")
	if err != nil {
		return nil, err
	}
	if expected := in.Text("expectedHeadOid"); expected != "" && expected != p.HeadSHA {
		return nil, hub.Invalid("Head branch was modified. Review and try the merge again.")
	}
	e, err := g.Queues.Enter(r, p, in.Bool("jump"), g.who.Account)
	if err != nil {
		return nil, err
	}
	return graph.Fields{"mergeQueueEntry": graph.Value(g.queueEntry(r, e))}, nil
}

func (g *mutations) dequeuePullRequest(in graph.Args) (graph.Fields, error) {
	r, p, err := g.pullNode(in.Text("id"), "contents:write")
	if err != nil {
		return nil, err
	}
	e := r.EntryOf(p)
	if e == nil {
		return nil, hub.Invalid("Pull request is not in the merge queue.")
	}
	node := g.queueEntry(r, e)
	if err := g.Queues.Leave(r, e, hub.RemovedByHand, g.who.Account); err != nil {
		return nil, err
	}
	return graph.Fields{"mergeQueueEntry": graph.Value(node)}, nil
}
