package githubsim

import (
	"net/http"
	"strings"
	"time"

	"waybill/internal/githubsim/gitstore"
)

func commitRoutes(t *table) {
	t.with("contents:read", "GET /repos/{owner}/{repo}/compare/{basehead}", compare)
	t.with("contents:read", "GET /repos/{owner}/{repo}/commits", listCommits)
	t.with("contents:read", "GET /repos/{owner}/{repo}/commits/{ref}", showCommit)
	t.with("contents:write", "POST /repos/{owner}/{repo}/merges", mergeBranches)
}

// commitJSON renders a commit of the repository, in full with its files.
func (v *Render) Commit(r *repository, sha string, full bool) obj {
	c, err := r.git.Commit(sha)
	if err != nil {
		return nil
	}
	parents := []any{}
	for _, parent := range c.Parents {
		parents = append(parents, obj{"sha": parent, "url": v.API(r, "/commits/"+parent), "html_url": v.HTML(r, "/commit/"+parent)})
	}
	self := v.API(r, "/commits/"+sha)
	j := obj{
		"sha": sha, "node_id": nodeID("C", r.id) + sha, "url": self, "html_url": v.HTML(r, "/commit/"+sha), "comments_url": self + "/comments",
		"author": v.committer(c.Author), "committer": v.committer(c.Committer), "parents": parents,
		"commit": obj{
			"author": personJSON(c.Author), "committer": personJSON(c.Committer), "message": c.Message, "comment_count": 0,
			"url": v.API(r, "/git/commits/"+sha), "tree": obj{"sha": c.Tree, "url": v.API(r, "/git/trees/"+c.Tree)},
			"verification": verificationJSON(c),
		},
	}
	if full {
		v.files(r, c, j)
	}
	return j
}

// committer finds the account of a person in a commit by its address; null when there is none.
func (v *Render) committer(p gitstore.Person) any {
	if a, found := v.hub.Accounts.ByEmail(p.Email); found {
		return v.Account(a)
	}
	if p.Email == "noreply@github.com" {
		return v.Account(v.hub.Accounts.WebFlow())
	}
	return nil
}

// webFlowAccount is the account of commits that GitHub makes itself.
func (as *Accounts) WebFlow() *account {
	if a, found := as.Find("web-flow"); found {
		return a
	}
	return as.New("web-flow", kindUser)
}

func (v *Render) files(r *repository, c gitstore.Commit, j obj) {
	additions, deletions, files := 0, 0, []any{}
	if len(c.Parents) > 0 {
		changes, err := r.git.Diff(c.Parents[0], c.SHA)
		if err != nil {
			return
		}
		for _, change := range changes {
			additions, deletions = additions+change.Additions, deletions+change.Deletions
			files = append(files, v.File(r, c.SHA, change))
		}
	}
	j["stats"] = obj{"additions": additions, "deletions": deletions, "total": additions + deletions}
	j["files"] = files
}

func showCommit(c *call) (reply, error) {
	commit, err := c.commit("ref")
	if err != nil {
		return reply{}, err
	}
	if c.wants("sha") {
		return reply{status: http.StatusOK, body: []byte(commit.SHA), header: http.Header{"Content-Type": {"application/vnd.github.sha; charset=utf-8"}}}, nil
	}
	return ok(c.Render.Commit(c.repo, commit.SHA, true)), nil
}

func listCommits(c *call) (reply, error) {
	head, found := c.repo.resolve(c.query("sha", c.repo.defaultBranch))
	if !found {
		return reply{}, notFound()
	}
	since, until := c.bound("since"), c.bound("until")
	var chosen []gitstore.Commit
	for _, one := range c.repo.git.Log(head) {
		when := one.Committer.When
		if (!since.IsZero() && when.Before(since)) || (!until.IsZero() && when.After(until)) {
			continue
		}
		if c.repo.touches(one, c.query("path", "")) {
			chosen = append(chosen, one)
		}
	}
	return list(c, chosen, func(one gitstore.Commit) any { return c.Render.Commit(c.repo, one.SHA, false) }), nil
}

// bound reads a time of the query; zero when there is none.
func (c *call) bound(name string) time.Time {
	at, err := time.Parse(time.RFC3339, c.query(name, ""))
	if err != nil {
		return time.Time{}
	}
	return at
}

// touches reports whether a commit changed a path or something below it; every commit touches the empty path.
func (r *repository) touches(c gitstore.Commit, path string) bool {
	if path == "" {
		return true
	}
	now, _ := r.git.Lookup(c.Tree, path)
	if len(c.Parents) == 0 {
		return now.SHA != ""
	}
	before, _ := r.git.Lookup(r.treeOf(c.Parents[0]), path)
	return now.SHA != before.SHA
}

func compare(c *call) (reply, error) {
	from, to, three := strings.Cut(c.params["basehead"], "...")
	base, baseFound := c.repo.resolve(from)
	head, headFound := c.repo.resolve(to)
	if !three || !baseFound || !headFound {
		return reply{}, notFound()
	}
	common, found := c.repo.git.MergeBase(base, head)
	if !found {
		return reply{}, refuse(http.StatusNotFound, "No common ancestor between %s and %s.", from, to)
	}
	ahead, behind := c.repo.git.Between(base, head), c.repo.git.Between(head, base)
	changes, err := c.repo.git.Diff(common, head)
	if err != nil {
		return reply{}, err
	}
	shown, header := page(c, ahead)
	html := c.Render.HTML(c.repo, "/compare/"+c.params["basehead"])
	out := ok(obj{
		"url": c.Render.API(c.repo, "/compare/"+c.params["basehead"]), "html_url": html, "permalink_url": html, "diff_url": html + ".diff",
		"patch_url": html + ".patch", "base_commit": c.Render.Commit(c.repo, base, false), "merge_base_commit": c.Render.Commit(c.repo, common, false),
		"status": comparison(len(ahead), len(behind)), "ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead),
		"commits": renderAll(shown, func(one gitstore.Commit) any { return c.Render.Commit(c.repo, one.SHA, false) }),
		"files":   renderAll(changes, func(change gitstore.FileChange) any { return c.Render.File(c.repo, head, change) }),
	})
	out.header = header
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
	base, found := c.repo.git.Branch(in.Base)
	if !found {
		return reply{}, refuse(http.StatusNotFound, "Base does not exist")
	}
	head, found := c.repo.resolve(in.Head)
	if !found {
		return reply{}, refuse(http.StatusNotFound, "Head does not exist")
	}
	if c.repo.git.IsAncestor(head, base) {
		return nothing(), nil
	}
	m, err := c.repo.git.Merge(base, head)
	if err != nil {
		return reply{}, err
	}
	if !m.Clean() {
		return reply{}, refuse(http.StatusConflict, "Merge conflict")
	}
	sha, err := c.Refs.WriteMerge(c.repo, m, base, head, c.who.account, orElse(in.Message, "Merge "+in.Head+" into "+in.Base))
	if err != nil {
		return reply{}, err
	}
	if err := c.Refs.Push(c.repo, "refs/heads/"+in.Base, sha, c.who.account); err != nil {
		return reply{}, err
	}
	return created(c.Render.Commit(c.repo, sha, true)), nil
}
