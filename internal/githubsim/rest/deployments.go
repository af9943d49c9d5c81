package rest

import (
	"net/http"
	"slices"

	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

func deploymentRoutes(t *table) {
	t.with("deployments:read", "GET /repos/{owner}/{repo}/deployments", listDeployments)
	t.with("deployments:write", "POST /repos/{owner}/{repo}/deployments", makeDeployment)
	t.with("deployments:read", "GET /repos/{owner}/{repo}/deployments/{deployment_id}", showDeployment)
	t.with("deployments:write", "DELETE /repos/{owner}/{repo}/deployments/{deployment_id}", deleteDeployment)
	t.with("deployments:read", "GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses", listDeploymentStatuses)
	t.with("deployments:write", "POST /repos/{owner}/{repo}/deployments/{deployment_id}/statuses", makeDeploymentStatus)
	t.with("deployments:read", "GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses/{status_id}",
		showDeploymentStatus)
	t.with("actions:read", "GET /repos/{owner}/{repo}/environments", listEnvironments)
	t.with("actions:read", "GET /repos/{owner}/{repo}/environments/{environment_name}", showEnvironment)
}

func listDeployments(c *call) (reply, error) {
	var found []*hub.Deployment
	for _, d := range slices.Backward(c.repo.Deployments) {
		if c.query("sha", d.SHA) == d.SHA && c.query("ref", d.Ref) == d.Ref && c.query("task", d.Task) == d.Task &&
			c.query("environment", d.Environment) == d.Environment {
			found = append(found, d)
		}
	}
	return list(c, found, func(d *hub.Deployment) any { return c.Render.Deployment(c.repo, d) }), nil
}

func makeDeployment(c *call) (reply, error) {
	var in hub.DeploymentSpec
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	d, err := c.Deployments.Create(c.repo, in, c.who.Account, c.who.App)
	if err != nil {
		return reply{}, err
	}
	if d == nil {
		return reply{Status: http.StatusAccepted, Body: obj{"message": "Auto-merged " + c.repo.Seen().DefaultBranch() +
			" into " + in.Ref + " on deployment."}}, nil
	}
	return created(c.Render.Deployment(c.repo, d)), nil
}

func (c *call) deployment() (*hub.Deployment, error) {
	id, err := c.id("deployment_id")
	if err != nil {
		return nil, err
	}
	return c.repo.Deployment(id)
}

func showDeployment(c *call) (reply, error) {
	d, err := c.deployment()
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.Deployment(c.repo, d)), nil
}

func deleteDeployment(c *call) (reply, error) {
	d, err := c.deployment()
	if err != nil {
		return reply{}, err
	}
	if len(d.Statuses) > 0 && d.Statuses[len(d.Statuses)-1].State != "inactive" && len(c.repo.Deployments) > 1 {
		return reply{},
			hub.Invalid("We cannot delete an active deployment unless it is the only deployment in a given environment.")
	}
	c.Deployments.Delete(c.repo, d)
	return nothing(), nil
}

func listDeploymentStatuses(c *call) (reply, error) {
	d, err := c.deployment()
	if err != nil {
		return reply{}, err
	}
	newestFirst := slices.Clone(d.Statuses)
	slices.Reverse(newestFirst)
	return list(c, newestFirst, func(one *hub.DeploymentStatus) any { return c.Render.DeploymentStatus(c.repo, d, one) }),
		nil
}

func makeDeploymentStatus(c *call) (reply, error) {
	d, err := c.deployment()
	if err != nil {
		return reply{}, err
	}
	var in hub.DeploymentStatusSpec
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	one, err := c.Deployments.SetStatus(c.repo, d, in, c.who.Account, c.who.App)
	if err != nil {
		return reply{}, err
	}
	return created(c.Render.DeploymentStatus(c.repo, d, one)), nil
}

func showDeploymentStatus(c *call) (reply, error) {
	d, err := c.deployment()
	if err != nil {
		return reply{}, err
	}
	id, err := c.id("status_id")
	if err != nil {
		return reply{}, err
	}
	for _, one := range d.Statuses {
		if one.ID == id {
			return ok(c.Render.DeploymentStatus(c.repo, d, one)), nil
		}
	}
	return reply{}, hub.NotFound()
}

func (c *call) environmentJSON(name string) obj {
	return obj{
		"name": name, "url": c.Render.API(c.repo, "/environments/"+name),
		"html_url":   c.Render.HTML(c.repo, "/deployments/activity_log?environments_filter="+name),
		"created_at": render.Stamp(c.repo.Created), "updated_at": render.Stamp(c.repo.Created), "protection_rules": []any{},
		"deployment_branch_policy": nil,
	}
}

func listEnvironments(c *call) (reply, error) {
	return counted(c, "environments", c.repo.Environments, func(name string) any { return c.environmentJSON(name) }), nil
}

func showEnvironment(c *call) (reply, error) {
	name, found := c.repo.EnvironmentNamed(c.params["environment_name"])
	if !found {
		return reply{}, hub.NotFound()
	}
	return ok(c.environmentJSON(name)), nil
}
