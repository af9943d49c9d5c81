package render

import "waybill/internal/githubsim/hub"

import "strconv"

// Deployment renders a deployment.
func (v *Renderer) Deployment(r *hub.Repository, d *hub.Deployment) obj {
	self := v.API(r, "/deployments/"+strconv.FormatInt(d.ID, 10))
	return obj{
		"id": d.ID, "node_id": NodeID("DE", d.ID), "url": self, "sha": d.SHA, "ref": d.Ref, "task": d.Task,
		"payload":     d.Payload,
		"environment": d.Environment, "original_environment": d.Environment, "description": Optional(d.Description),
		"creator": v.Account(d.Creator), "created_at": Stamp(d.Created), "updated_at": Stamp(d.Updated),
		"statuses_url": self + "/statuses", "repository_url": v.API(r, ""), "transient_environment": d.Transient,
		"production_environment": d.Production, "performed_via_github_app": v.through(d.App),
	}
}

// DeploymentStatus renders a status of a deployment.
func (v *Renderer) DeploymentStatus(r *hub.Repository, d *hub.Deployment, s *hub.DeploymentStatus) obj {
	self := v.API(r, "/deployments/"+strconv.FormatInt(d.ID, 10))
	return obj{
		"id": s.ID, "node_id": NodeID("DES", s.ID), "url": self + "/statuses/" + strconv.FormatInt(s.ID, 10),
		"state": s.State, "creator": v.Account(s.Creator),
		"description": s.Description, "environment": s.Environment, "target_url": s.LogURL, "log_url": s.LogURL,
		"environment_url": s.EnvironmentURL, "created_at": Stamp(s.Created), "updated_at": Stamp(s.Created),
		"deployment_url": self,
		"repository_url": v.API(r, ""), "performed_via_github_app": v.through(s.App),
	}
}

func (v *Renderer) through(a *hub.App) any {
	if a == nil {
		return nil
	}
	j := v.App(a)
	delete(j, "client_id")
	return j
}
