package githubsim

import "strconv"

func (v *Render) Deployment(r *repository, d *deployment) obj {
	self := v.API(r, "/deployments/"+strconv.FormatInt(d.id, 10))
	return obj{
		"id": d.id, "node_id": nodeID("DE", d.id), "url": self, "sha": d.sha, "ref": d.ref, "task": d.task, "payload": d.payload,
		"environment": d.environment, "original_environment": d.environment, "description": optional(d.description),
		"creator": v.Account(d.creator), "created_at": stamp(d.created), "updated_at": stamp(d.updated),
		"statuses_url": self + "/statuses", "repository_url": v.API(r, ""), "transient_environment": d.transient,
		"production_environment": d.production, "performed_via_github_app": v.through(d.app),
	}
}

func (v *Render) DeploymentStatus(r *repository, d *deployment, s *deploymentStatus) obj {
	self := v.API(r, "/deployments/"+strconv.FormatInt(d.id, 10))
	return obj{
		"id": s.id, "node_id": nodeID("DES", s.id), "url": self + "/statuses/" + strconv.FormatInt(s.id, 10), "state": s.state, "creator": v.Account(s.creator),
		"description": s.description, "environment": s.environment, "target_url": s.logURL, "log_url": s.logURL,
		"environment_url": s.environmentURL, "created_at": stamp(s.created), "updated_at": stamp(s.created), "deployment_url": self,
		"repository_url": v.API(r, ""), "performed_via_github_app": v.through(s.app),
	}
}

func (v *Render) through(a *app) any {
	if a == nil {
		return nil
	}
	j := v.App(a)
	delete(j, "client_id")
	return j
}
