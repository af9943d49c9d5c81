package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/hub"
)

func pullRoutes(t *table) {
	t.with("pull_requests:read", "GET /repos/{owner}/{repo}/pulls", listPulls)
	t.with("pull_requests:write", "POST /repos/{owner}/{repo}/pulls", createPull)
	t.with("pull_requests:read", "GET /repos/{owner}/{repo}/pulls/{pull_number}", showPull)
	t.with("pull_requests:write", "PATCH /repos/{owner}/{repo}/pulls/{pull_number}", updatePull)
	t.with("pull_requests:read", "GET /repos/{owner}/{repo}/pulls/{pull_number}/commits", listPullCommits)
	t.with("pull_requests:read", "GET /repos/{owner}/{repo}/pulls/{pull_number}/files", listPullFiles)
	t.with("pull_requests:read|contents:read", "GET /repos/{owner}/{repo}/pulls/{pull_number}/merge", checkMerged)
	t.with("contents:write", "PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge", merge)
	t.with("pull_requests:write", "PUT /repos/{owner}/{repo}/pulls/{pull_number}/update-branch", updateBranch)
	t.with("pull_requests:read|contents:read", "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls", listCommitPulls)
}

func (c *call) pull() (*hub.Pull, error) {
	number, err := c.number("pull_number")
	if err != nil {
		return nil, err
	}
	return c.repo.FindPull(number)
}

func listPulls(c *call) (reply, error) {
	var found []*hub.Pull
	for _, i := range c.repo.SortedIssues() {
		if i.Pull != nil && c.Lag.Lists(i.Pull) && c.pullMatches(i.Pull) {
			found = append(found, i.Pull)
		}
	}
	key := func(p *hub.Pull) string { return p.Created.String() }
	if c.query("sort", "created") == "updated" {
		key = func(p *hub.Pull) string { return p.Updated.String() }
	}
	ascending := c.query("direction", "desc") == "asc"
	slices.SortStableFunc(found, func(a, b *hub.Pull) int {
		order := strings.Compare(key(b), key(a))
		if order == 0 {
			order = b.Number - a.Number
		}
		if ascending {
			return -order
		}
		return order
	})
	return list(c, found, func(p *hub.Pull) any { return c.Render.Pull(c.repo, p, false) }), nil
}

func (c *call) pullMatches(p *hub.Pull) bool {
	if state := c.query("state", "open"); state != "all" && state != p.State() {
		return false
	}
	if base := c.query("base", ""); base != "" && base != p.BaseRef {
		return false
	}
	head := c.query("head", "")
	// without an owner GitHub ignores the filter
	return !strings.Contains(head, ":") || head == p.Owner.Login+":"+p.HeadRef
}

func createPull(c *call) (reply, error) {
	var in struct {
		Title, Body, Head, Base string
		Draft                   bool
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.api.Limits.Create(c.who, "PullRequest"); err != nil {
		return reply{}, err
	}
	from, head := c.repo, in.Head
	if owner, branch, qualified := strings.Cut(in.Head, ":"); qualified {
		found := false
		if from, found = c.Repos.Relative(c.repo, owner); !found {
			return reply{}, hub.ValidationFailed("PullRequest", "head", "invalid", "")
		}
		head = branch
	}
	p, err := c.Pulls.Open(c.repo, hub.PullSpec{
		Title: in.Title, Body: in.Body, From: from, Head: head, Base: in.Base, Draft: in.Draft,
	}, c.who.Account)
	if err != nil {
		return reply{}, err
	}
	return created(c.Render.Pull(c.repo, p, true)), nil
}

func showPull(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	if _, err := c.Pulls.Look(c.repo, p); err != nil {
		return reply{}, err
	}
	if c.wants("diff") || c.wants("patch") {
		diff, err := c.diffText(p)
		return reply{Status: http.StatusOK, Body: diff, Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}},
			err
	}
	return ok(c.Render.Pull(c.repo, p, true)), nil
}

func (c *call) diffText(p *hub.Pull) ([]byte, error) {
	changes, err := c.repo.Changes(p)
	var text strings.Builder
	for _, change := range changes {
		text.WriteString("diff --git a/" + change.Path + " b/" + change.Path + "\n" + change.Patch + "\n")
	}
	return []byte(text.String()), err
}

func updatePull(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	var in struct{ Title, Body, State, Base *string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.Pulls.Change(c.repo, p, in.Title, in.Body, in.Base, in.State, c.who.Account); err != nil {
		return reply{}, err
	}
	return ok(c.Render.Pull(c.repo, p, true)), nil
}

func listPullCommits(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	return list(c, c.repo.HeadCommits(p), func(one gitstore.Commit) any {
		return c.Render.Commit(c.repo, one.SHA,
			false)
	}), nil
}

func listPullFiles(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	head, _ := c.Lag.Head(p)
	changes, err := c.repo.ChangesAt(p, head)
	if err != nil {
		return reply{}, err
	}
	changes = changes[:min(len(changes), mostPullFiles)]
	return list(c, changes, func(change gitstore.FileChange) any { return c.Render.File(c.repo, head, change) }), nil
}

// mostPullFiles is the number of files of a pull request that GitHub lists
// (https://docs.github.com/rest/pulls/pulls#list-pull-requests-files).
const mostPullFiles = 3000

func checkMerged(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	if !p.Merged {
		return reply{}, hub.NotFound()
	}
	return nothing(), nil
}

func merge(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	var in struct {
		SHA     string `json:"sha"`
		Method  string `json:"merge_method"`
		Title   string `json:"commit_title"`
		Message string `json:"commit_message"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	sha, err := c.Merges.Merge(c.repo, p, hub.MergeRequest{
		Method: cmp.Or(in.Method, "merge"), Title: in.Title, Message: in.Message, SHA: in.SHA,
	}, c.who.Account)
	if err != nil {
		return reply{}, err
	}
	return ok(obj{"sha": sha, "merged": true, "message": "Pull Request successfully merged"}), nil
}

// updateBranch merges the base into the head. Like GitHub it answers 202, as if the merge were still to come.
func updateBranch(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	var in struct {
		Expected string `json:"expected_head_sha"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Expected != "" && in.Expected != p.HeadSHA {
		return reply{}, hub.ValidationFailed("PullRequest", "", "custom", "expected head sha didn’t match current head ref.")
	}
	if err := c.Pulls.BringUpToDate(c.repo, p, c.who.Account); err != nil {
		return reply{}, err
	}
	return reply{Status: http.StatusAccepted, Body: obj{
		"message": "Updating pull request branch.", "url": c.Render.API(c.repo, "/pulls/"+strconv.Itoa(p.Number)),
	}}, nil
}

// listCommitPulls lists the pull requests of a commit: the merged one that added it to the default branch, or else the
// open ones.
func listCommitPulls(c *call) (reply, error) {
	sha, found := c.repo.Seen().Resolve(c.params["commit_sha"])
	if !found {
		return reply{}, hub.Invalid("No commit found for SHA: %s", c.params["commit_sha"])
	}
	var of []*hub.Pull
	for _, i := range c.repo.SortedIssues() {
		if i.Pull != nil && c.repo.Brings(i.Pull, sha) {
			of = append(of, i.Pull)
		}
	}
	return list(c, of, func(p *hub.Pull) any { return c.Render.Pull(c.repo, p, false) }), nil
}
