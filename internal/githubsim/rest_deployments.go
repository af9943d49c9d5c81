package githubsim

import (
	"net/http"
	"slices"
)

func deploymentRoutes(t *table) {
	t.with("deployments:read", "GET /repos/{owner}/{repo}/deployments", listDeployments)
	t.with("deployments:write", "POST /repos/{owner}/{repo}/deployments", makeDeployment)
	t.with("deployments:read", "GET /repos/{owner}/{repo}/deployments/{deployment_id}", showDeployment)
	t.with("deployments:write", "DELETE /repos/{owner}/{repo}/deployments/{deployment_id}", deleteDeployment)
	t.with("deployments:read", "GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses", listDeploymentStatuses)
	t.with("deployments:write", "POST /repos/{owner}/{repo}/deployments/{deployment_id}/statuses", makeDeploymentStatus)
	t.with("deployments:read", "GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses/{status_id}", showDeploymentStatus)
	t.with("actions:read", "GET /repos/{owner}/{repo}/environments", listEnvironments)
	t.with("actions:read", "GET /repos/{owner}/{repo}/environments/{environment_name}", showEnvironment)
}

func listDeployments(c *call) (reply, error) {
	var found []*deployment
	for _, d := range slices.Backward(c.repo.deployments) {
		if c.query("sha", d.sha) == d.sha && c.query("ref", d.ref) == d.ref && c.query("task", d.task) == d.task && c.query("environment", d.environment) == d.environment {
			found = append(found, d)
		}
	}
	return list(c, found, func(d *deployment) any { return c.Render.Deployment(c.repo, d) }), nil
}

func makeDeployment(c *call) (reply, error) {
	var in newDeployment
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	d, err := c.Deployments.Create(c.repo, in, c.who.account, c.who.app)
	if err != nil {
		return reply{}, err
	}
	if d == nil {
		return reply{status: http.StatusAccepted, body: obj{"message": "Auto-merged " + c.repo.git.DefaultBranch() + " into " + in.Ref + " on deployment."}}, nil
	}
	return created(c.Render.Deployment(c.repo, d)), nil
}

func (c *call) deployment() (*deployment, error) {
	id, err := c.id("deployment_id")
	if err != nil {
		return nil, err
	}
	return c.repo.deployment(id)
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
	if len(d.statuses) > 0 && d.statuses[len(d.statuses)-1].state != "inactive" && len(c.repo.deployments) > 1 {
		return reply{}, invalid("We cannot delete an active deployment unless it is the only deployment in a given environment.")
	}
	c.Deployments.Delete(c.repo, d)
	return nothing(), nil
}

func listDeploymentStatuses(c *call) (reply, error) {
	d, err := c.deployment()
	if err != nil {
		return reply{}, err
	}
	newestFirst := slices.Clone(d.statuses)
	slices.Reverse(newestFirst)
	return list(c, newestFirst, func(one *deploymentStatus) any { return c.Render.DeploymentStatus(c.repo, d, one) }), nil
}

func makeDeploymentStatus(c *call) (reply, error) {
	d, err := c.deployment()
	if err != nil {
		return reply{}, err
	}
	var in newDeploymentStatus
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	one, err := c.Deployments.SetStatus(c.repo, d, in, c.who.account, c.who.app)
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
	for _, one := range d.statuses {
		if one.id == id {
			return ok(c.Render.DeploymentStatus(c.repo, d, one)), nil
		}
	}
	return reply{}, notFound()
}

func (c *call) environmentJSON(name string) obj {
	return obj{
		"name": name, "url": c.Render.API(c.repo, "/environments/"+name), "html_url": c.Render.HTML(c.repo, "/deployments/activity_log?environments_filter="+name),
		"created_at": stamp(c.repo.created), "updated_at": stamp(c.repo.created), "protection_rules": []any{}, "deployment_branch_policy": nil,
	}
}

func listEnvironments(c *call) (reply, error) {
	return counted(c, "environments", c.repo.environments, func(name string) any { return c.environmentJSON(name) }), nil
}

func showEnvironment(c *call) (reply, error) {
	name, found := c.repo.environmentNamed(c.params["environment_name"])
	if !found {
		return reply{}, notFound()
	}
	return ok(c.environmentJSON(name)), nil
}
