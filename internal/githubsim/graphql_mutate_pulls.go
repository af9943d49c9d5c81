package githubsim

import (
	"cmp"
	"strings"

	"waybill/internal/githubsim/graph"
)

func (g *resolver) createPullRequest(in graph.Args) (graph.Fields, error) {
	r, err := g.repoNode(in.Text("repositoryId"), "pull_requests:write")
	if err != nil {
		return nil, err
	}
	head, base := in.Text("headRefName"), in.Text("baseRefName")
	if err := missingSides(r, head, base); err != nil {
		return noPull(), err
	}
	p, err := g.Pulls.Open(r, newPull{title: in.Text("title"), body: in.Text("body"), head: head, base: base, draft: in.Bool("draft")}, g.who.account)
	if err != nil {
		return noPull(), err
	}
	return graph.Fields{"pullRequest": graph.Value(g.pull(r, p))}, nil
}

// noPull is the payload of a createPullRequest that failed: GitHub answers it with an empty pull request instead of with null.
func noPull() graph.Fields { return graph.Fields{"pullRequest": graph.Value(nil)} }

// missingSides words what GitHub says when a branch of a pull request does not exist.
func missingSides(r *repository, head, base string) error {
	reasons := []string{"Head sha can't be blank", "Base sha can't be blank", "No commits between " + base + " and " + head}
	_, headExists := r.git.Branch(head)
	_, baseExists := r.git.Branch(base)
	if headExists && baseExists {
		return nil
	}
	if !headExists {
		reasons = append(reasons, "Head ref must be a branch")
	}
	if !baseExists {
		reasons = append(reasons, "Base ref must be a branch")
	}
	return invalid("%s", strings.Join(reasons, ", "))
}

// onPull runs a mutation of one pull request and answers it.
func (g *resolver) onPull(id, permissions string, change func(r *repository, p *pull) error) (graph.Fields, error) {
	r, p, err := g.pullNode(id, permissions)
	if err != nil {
		return nil, err
	}
	if err := change(r, p); err != nil {
		return nil, err
	}
	return graph.Fields{"pullRequest": graph.Value(g.pull(r, p)), "actor": graph.Value(g.actor(g.who.account))}, nil
}

func (g *resolver) updatePullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "pull_requests:write", func(r *repository, p *pull) error {
		state := in.Optional("state")
		if state != nil {
			*state = strings.ToLower(*state)
		}
		return g.Pulls.Change(r, p, in.Optional("title"), in.Optional("body"), in.Optional("baseRefName"), state, g.who.account)
	})
}

func (g *resolver) closePullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "pull_requests:write", func(r *repository, p *pull) error {
		if !p.open {
			return invalid("Could not close the pull request.")
		}
		return g.Pulls.Close(r, p, g.who.account)
	})
}

func (g *resolver) reopenPullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "pull_requests:write", func(r *repository, p *pull) error {
		return g.Pulls.Reopen(r, p, g.who.account)
	})
}

func (g *resolver) mergePullRequest(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "contents:write", func(r *repository, p *pull) error {
		_, err := g.Merges.Merge(r, p, mergeRequest{
			method: cmp.Or(strings.ToLower(in.Text("mergeMethod")), "merge"), title: in.Text("commitHeadline"), message: in.Text("commitBody"), sha: in.Text("expectedHeadOid"),
		}, g.who.account)
		return err
	})
}

func (g *resolver) enableAutoMerge(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "contents:write", func(r *repository, p *pull) error {
		if expected := in.Text("expectedHeadOid"); expected != "" && expected != p.headSHA {
			return invalid("Head branch was modified. Review and try the merge again.")
		}
		return g.Merges.Arm(r, p, cmp.Or(strings.ToLower(in.Text("mergeMethod")), "merge"), g.who.account)
	})
}

func (g *resolver) disableAutoMerge(in graph.Args) (graph.Fields, error) {
	return g.onPull(in.Text("pullRequestId"), "contents:write", func(r *repository, p *pull) error {
		if p.autoMerge == nil {
			return invalid("Can't disable auto-merge for this pull request.")
		}
		g.Pulls.Disarm(r, p, g.who.account)
		return nil
	})
}
