package rest

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

func commitRoutes(t *table) {
	t.with("contents:read", "GET /repos/{owner}/{repo}/compare/{basehead}", compare)
	t.with("contents:read", "GET /repos/{owner}/{repo}/commits", listCommits)
	t.with("contents:read", "GET /repos/{owner}/{repo}/commits/{ref}", showCommit)
	t.with("contents:write", "POST /repos/{owner}/{repo}/merges", mergeBranches)
}

func showCommit(c *call) (reply, error) {
	commit, err := c.commit("ref")
	if err != nil {
		return reply{}, err
	}
	if c.wants("sha") {
		return reply{
			Status: http.StatusOK, Body: []byte(commit.SHA),
			Header: http.Header{"Content-Type": {"application/vnd.github.sha; charset=utf-8"}},
		}, nil
	}
	return ok(c.Render.Commit(c.repo, commit.SHA, true)), nil
}

func listCommits(c *call) (reply, error) {
	head, found := c.repo.Seen().Resolve(c.query("sha", c.repo.Seen().DefaultBranch()))
	if !found {
		return reply{}, hub.NotFound()
	}
	since, until := c.bound("since"), c.bound("until")
	var chosen []gitstore.Commit
	for _, one := range c.repo.Seen().Log(head) {
		when := one.Committer.When
		if (!since.IsZero() && when.Before(since)) || (!until.IsZero() && when.After(until)) {
			continue
		}
		if c.repo.Seen().Touches(one, c.query("path", "")) {
			chosen = append(chosen, one)
		}
	}
	return list(c, chosen, func(one gitstore.Commit) any { return c.Render.Commit(c.repo, one.SHA, false) }), nil
}

// bound parses a time of the query; zero if it is absent.
func (c *call) bound(name string) time.Time {
	at, err := time.Parse(time.RFC3339, c.query(name, ""))
	if err != nil {
		return time.Time{}
	}
	return at
}

func compare(c *call) (reply, error) {
	from, to, three := strings.Cut(c.params["basehead"], "...")
	base, baseFound := c.repo.Seen().Resolve(from)
	head, headFound := c.repo.Seen().Resolve(to)
	if !three || !baseFound || !headFound {
		return reply{}, hub.NotFound()
	}
	common, found := c.repo.Seen().MergeBase(base, head)
	if !found {
		return reply{}, hub.Refuse(http.StatusNotFound, "No common ancestor between %s and %s.", from, to)
	}
	ahead, behind := c.repo.Seen().Between(base, head), c.repo.Seen().Between(head, base)
	changes, err := c.repo.Seen().Diff(common, head)
	if err != nil {
		return reply{}, err
	}
	shown, header := page(c, ahead)
	html := c.Render.HTML(c.repo, "/compare/"+c.params["basehead"])
	out := ok(obj{
		"url": c.Render.API(c.repo, "/compare/"+c.params["basehead"]), "html_url": html, "permalink_url": html,
		"diff_url":  html + ".diff",
		"patch_url": html + ".patch", "base_commit": c.Render.Commit(c.repo, base, false),
		"merge_base_commit": c.Render.Commit(c.repo, common, false),
		"status":            comparison(len(ahead), len(behind)), "ahead_by": len(ahead), "behind_by": len(behind),
		"total_commits": len(ahead),
		"commits":       render.List(shown, func(one gitstore.Commit) any { return c.Render.Commit(c.repo, one.SHA, false) }),
		"files": render.List(changes, func(change gitstore.FileChange) any {
			return c.Render.File(c.repo, head,
				change)
		}),
	})
	out.Header = header
	return out, nil
}

func comparison(ahead, behind int) string {
	switch {
	case ahead > 0 && behind > 0:
		return "diverged"
	case ahead > 0:
		return "ahead"
	case behind > 0:
		return "behind"
	}
	return "identical"
}

// mergeBranches merges one branch into another without a pull request.
func mergeBranches(c *call) (reply, error) {
	var in struct {
		Base, Head string
		Message    string `json:"commit_message"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	base, found := c.repo.Seen().Branch(in.Base)
	if !found {
		return reply{}, hub.Refuse(http.StatusNotFound, "Base does not exist")
	}
	head, found := c.repo.Seen().Resolve(in.Head)
	if !found {
		return reply{}, hub.Refuse(http.StatusNotFound, "Head does not exist")
	}
	if c.repo.Seen().IsAncestor(head, base) {
		return nothing(), nil
	}
	m, err := c.repo.Git().Merge(base, head)
	if err != nil {
		return reply{}, err
	}
	if !m.Clean() {
		return reply{}, hub.Refuse(http.StatusConflict, "Merge conflict")
	}
	sha, err := c.Refs.WriteMerge(c.repo, m, base, head, c.who.Account,
		cmp.Or(in.Message, "Merge "+in.Head+" into "+in.Base))
	if err != nil {
		return reply{}, err
	}
	if err := c.Refs.Push(c.repo, "refs/heads/"+in.Base, sha, c.who.Account); err != nil {
		return reply{}, err
	}
	return created(c.Render.Commit(c.repo, sha, true)), nil
}
