package rest

import (
	"encoding/json"

	"waybill/internal/githubsim/hub"
)

func labelRoutes(t *table) {
	t.with("issues:read", "GET /repos/{owner}/{repo}/issues/{issue_number}/labels", listIssueLabels)
	t.with("issues:write", "POST /repos/{owner}/{repo}/issues/{issue_number}/labels", addLabels)
	t.with("issues:write", "PUT /repos/{owner}/{repo}/issues/{issue_number}/labels", replaceLabels)
	t.with("issues:write", "DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels", clearLabels)
	t.with("issues:write", "DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}",
		removeLabel)
	t.with("issues:read", "GET /repos/{owner}/{repo}/labels", listLabels)
	t.with("issues:write", "POST /repos/{owner}/{repo}/labels", createLabel)
	t.with("issues:read", "GET /repos/{owner}/{repo}/labels/{name}", showLabel)
	t.with("issues:write", "PATCH /repos/{owner}/{repo}/labels/{name}", updateLabel)
	t.with("issues:write", "DELETE /repos/{owner}/{repo}/labels/{name}", deleteLabel)
}

// names decodes labels in both of GitHub's forms: {"labels": [...]} and a bare list.
func (c *call) names() ([]string, error) {
	var bare []string
	if json.Unmarshal(c.raw, &bare) == nil {
		return bare, nil
	}
	var in struct{ Labels []string }
	err := c.decode(&in)
	return in.Labels, err
}

// onIssue changes an issue's labels and returns the new labels.
func (c *call) onIssue(change func(*hub.Issue) error) (reply, error) {
	i, err := c.issue()
	if err != nil {
		return reply{}, err
	}
	if err := change(i); err != nil {
		return reply{}, err
	}
	return list(c, i.Labels, func(l *hub.Label) any { return c.Render.Label(c.repo, l) }), nil
}

func listIssueLabels(c *call) (reply, error) {
	return c.onIssue(func(*hub.Issue) error { return nil })
}

func addLabels(c *call) (reply, error) {
	return c.onIssue(func(i *hub.Issue) error {
		names, err := c.names()
		for _, name := range names {
			c.Tracker.PutLabel(c.repo, i, name, c.who.Account)
		}
		return err
	})
}

func replaceLabels(c *call) (reply, error) {
	return c.onIssue(func(i *hub.Issue) error {
		names, err := c.names()
		if err == nil {
			c.Tracker.SetLabels(c.repo, i, names, c.who.Account)
		}
		return err
	})
}

func clearLabels(c *call) (reply, error) {
	_, err := c.onIssue(func(i *hub.Issue) error {
		c.Tracker.SetLabels(c.repo, i, nil, c.who.Account)
		return nil
	})
	return nothing(), err
}

func removeLabel(c *call) (reply, error) {
	return c.onIssue(func(i *hub.Issue) error {
		if !c.Tracker.TakeLabel(c.repo, i, c.params["name"], c.who.Account) {
			return hub.Refuse(404, "Label does not exist")
		}
		return nil
	})
}

func listLabels(c *call) (reply, error) {
	return list(c, c.repo.Labels, func(l *hub.Label) any { return c.Render.Label(c.repo, l) }), nil
}

func createLabel(c *call) (reply, error) {
	var in struct{ Name, Color, Description string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if _, exists := c.repo.Label(in.Name); exists {
		return reply{}, hub.ValidationFailed("Label", "name", "already_exists", "")
	}
	l := c.Tracker.MakeLabel(c.repo, in.Name, in.Color, in.Description, c.who.Account)
	return created(c.Render.Label(c.repo, l)), nil
}

func (c *call) label() (*hub.Label, error) {
	l, found := c.repo.Label(c.params["name"])
	if !found {
		return nil, hub.NotFound()
	}
	return l, nil
}

func showLabel(c *call) (reply, error) {
	l, err := c.label()
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.Label(c.repo, l)), nil
}

func updateLabel(c *call) (reply, error) {
	l, err := c.label()
	if err != nil {
		return reply{}, err
	}
	var in struct {
		NewName            *string `json:"new_name"`
		Color, Description *string
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	c.Tracker.ChangeLabel(l, in.NewName, in.Color, in.Description)
	return ok(c.Render.Label(c.repo, l)), nil
}

func deleteLabel(c *call) (reply, error) {
	l, err := c.label()
	if err != nil {
		return reply{}, err
	}
	c.Tracker.DeleteLabel(c.repo, l, c.who.Account)
	return nothing(), nil
}
