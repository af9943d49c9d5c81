package rest

import (
	"strings"

	"waybill/internal/githubsim/hub"
)

func issueRoutes(t *table) {
	t.with("issues:read", "GET /repos/{owner}/{repo}/issues", listIssues)
	t.with("issues:write", "POST /repos/{owner}/{repo}/issues", createIssue)
	t.with("issues:read", "GET /repos/{owner}/{repo}/issues/{issue_number}", showIssue)
	t.with("issues:write", "PATCH /repos/{owner}/{repo}/issues/{issue_number}", updateIssue)
	t.with("issues:write", "POST /repos/{owner}/{repo}/issues/{issue_number}/assignees", addAssignees)
	t.with("issues:write", "DELETE /repos/{owner}/{repo}/issues/{issue_number}/assignees",
		removeAssignees)
}

func (c *call) issue() (*hub.Issue, error) {
	number, err := c.number("issue_number")
	if err != nil {
		return nil, err
	}
	if i := c.repo.Issues[number]; i != nil {
		return i, nil
	}
	return nil, hub.NotFound()
}

func listIssues(c *call) (reply, error) {
	labels := strings.FieldsFunc(c.query("labels", ""), func(r rune) bool { return r == ',' })
	var found []*hub.Issue
	for _, i := range c.repo.SortedIssues() {
		if state := c.query("state", "open"); (state == "all" || state == i.State()) && i.HasAll(labels) {
			found = append(found, i)
		}
	}
	return list(c, found, func(i *hub.Issue) any { return c.Render.Issue(c.repo, i) }), nil
}

func createIssue(c *call) (reply, error) {
	var in struct {
		Title, Body string
		Labels      []string
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	i, err := c.Tracker.Open(c.repo, 0, in.Title, in.Body, c.who.Account)
	if err != nil {
		return reply{}, err
	}
	for _, name := range in.Labels {
		c.Tracker.PutLabel(c.repo, i, name, c.who.Account)
	}
	return created(c.Render.Issue(c.repo, i)), nil
}

func showIssue(c *call) (reply, error) {
	i, err := c.issue()
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.Issue(c.repo, i)), nil
}

func updateIssue(c *call) (reply, error) {
	i, err := c.issue()
	if err != nil {
		return reply{}, err
	}
	var in struct {
		Title, Body, State *string
		Labels             *[]string
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Labels != nil {
		c.Tracker.SetLabels(c.repo, i, *in.Labels, c.who.Account)
	}
	if i.Pull != nil {
		if err := c.Pulls.Change(c.repo, i.Pull, in.Title, in.Body, nil, in.State, c.who.Account); err != nil {
			return reply{}, err
		}
		return ok(c.Render.Issue(c.repo, i)), nil
	}
	c.Tracker.Change(i, in.Title, in.Body, in.State, c.who.Account)
	return ok(c.Render.Issue(c.repo, i)), nil
}

func (c *call) assignees() (*hub.Issue, []*hub.Account, error) {
	i, err := c.issue()
	if err != nil {
		return nil, nil, err
	}
	var in struct{ Assignees []string }
	if err := c.decode(&in); err != nil {
		return nil, nil, err
	}
	var people []*hub.Account
	for _, login := range in.Assignees {
		if a, found := c.Accounts.Find(login); found {
			people = append(people, a) // GitHub ignores unknown logins
		}
	}
	return i, people, nil
}

func addAssignees(c *call) (reply, error) {
	i, people, err := c.assignees()
	if err != nil {
		return reply{}, err
	}
	c.Tracker.Assign(c.repo, i, people, c.who.Account)
	return created(c.Render.Issue(c.repo, i)), nil
}

func removeAssignees(c *call) (reply, error) {
	i, people, err := c.assignees()
	if err != nil {
		return reply{}, err
	}
	c.Tracker.Unassign(i, people)
	return ok(c.Render.Issue(c.repo, i)), nil
}
