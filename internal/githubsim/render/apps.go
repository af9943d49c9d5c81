package render

import "waybill/internal/githubsim/hub"

import "strconv"

// App renders an App.
func (v *Renderer) App(a *hub.App) obj {
	permissions := obj{}
	for name, level := range a.Permissions {
		if name != "merge_queues" { // GitHub's description of an App does not have it
			permissions[name] = level
		}
	}
	return obj{
		"id": a.ID, "slug": a.Slug, "node_id": NodeID("A", a.ID), "name": a.Slug, "client_id": a.ClientID(),
		"description": "",
		"owner":       v.Account(a.Bot), "external_url": v.URL, "html_url": v.URL + "/apps/" + a.Slug,
		"created_at": Stamp(a.Created), "updated_at": Stamp(a.Created), "permissions": permissions, "events": subscribed(a),
	}
}

// subscribed lists the events to which the App subscribes, without those that every App receives (installation). It
// also leaves out merge_group and deployment_protection_rule, which GitHub's description does not allow everywhere.
func subscribed(a *hub.App) []string {
	events := []string{}
	for _, event := range []string{
		"check_run", "check_suite", "create", "delete", "deployment", "deployment_status", "issue_comment", "label",
		"member", "membership", "organization",
		"pull_request", "pull_request_review", "push", "registry_package", "release", "repository", "repository_dispatch",
		"status", "team", "workflow_run",
	} {
		if a.Sees(event) {
			events = append(events, event)
		}
	}
	return events
}

// Installation renders an installation.
func (v *Renderer) Installation(i *hub.Installation) obj {
	selection := "selected"
	if i.All {
		selection = "all"
	}
	app := v.App(v.hub.Apps.Own)
	return obj{
		"id": i.ID, "account": v.Account(i.Account), "repository_selection": selection, "app_id": v.hub.Apps.Own.ID,
		"app_slug":  v.hub.Apps.Own.Slug,
		"target_id": i.Account.ID, "target_type": i.Account.Kind, "permissions": app["permissions"], "events": app["events"],
		"created_at": Stamp(i.Created), "updated_at": Stamp(i.Created), "suspended_at": Stamp(i.Suspended),
		"suspended_by":     nil,
		"single_file_name": nil, "access_tokens_url": v.URL + "/api/v3/app/installations/" + strconv.FormatInt(i.ID, 10) +
			"/access_tokens",
		"html_url": v.URL + "/organizations/" + i.Account.Login + "/settings/installations/" +
			strconv.FormatInt(i.ID, 10),
		"repositories_url": v.URL + "/api/v3/installation/repositories",
	}
}

// Grant renders a new token.
func (v *Renderer) Grant(g *hub.Grant, install *hub.Installation) obj {
	j := obj{"token": g.Token, "expires_at": Stamp(g.Expires), "permissions": g.Permissions, "repository_selection": "all"}
	if g.Repos == nil {
		if !install.All {
			j["repository_selection"] = "selected"
		}
		return j
	}
	j["repository_selection"] = "selected"
	listed := []any{}
	for _, r := range v.hub.Repos.ReachedBy(install) {
		if g.Repos[r.ID] {
			listed = append(listed, v.Repo(r))
		}
	}
	j["repositories"] = listed
	return j
}
