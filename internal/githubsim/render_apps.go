package githubsim

import "strconv"

func (v *Render) App(a *app) obj {
	permissions := obj{}
	for name, level := range a.permissions {
		if name != "merge_queues" { // which GitHub's own description of an App does not know
			permissions[name] = level
		}
	}
	return obj{
		"id": a.id, "slug": a.slug, "node_id": nodeID("A", a.id), "name": a.slug, "client_id": a.clientID(), "description": "",
		"owner": v.Account(a.bot), "external_url": v.URL, "html_url": v.URL + "/apps/" + a.slug,
		"created_at": stamp(a.created), "updated_at": stamp(a.created), "permissions": permissions, "events": subscribed(a),
	}
}

// subscribed lists the events the App asked for; the ones every App gets (installation) are not among them.
// Neither are merge_group and deployment_protection_rule, which GitHub's own description does not know everywhere where an App is shown.
func subscribed(a *app) []string {
	events := []string{}
	for _, event := range []string{
		"check_run", "check_suite", "create", "delete", "deployment", "deployment_status", "issue_comment", "label", "member", "membership", "organization",
		"pull_request", "pull_request_review", "push", "registry_package", "release", "repository", "repository_dispatch", "status", "team", "workflow_run",
	} {
		if a.sees(event) {
			events = append(events, event)
		}
	}
	return events
}

func (v *Render) Installation(i *installation) obj {
	selection := "selected"
	if i.all {
		selection = "all"
	}
	app := v.App(v.hub.Apps.Own)
	return obj{
		"id": i.id, "account": v.Account(i.account), "repository_selection": selection, "app_id": v.hub.Apps.Own.id, "app_slug": v.hub.Apps.Own.slug,
		"target_id": i.account.id, "target_type": i.account.kind, "permissions": app["permissions"], "events": app["events"],
		"created_at": stamp(i.created), "updated_at": stamp(i.created), "suspended_at": stamp(i.suspended), "suspended_by": nil,
		"single_file_name": nil, "access_tokens_url": v.URL + "/api/v3/app/installations/" + strconv.FormatInt(i.id, 10) + "/access_tokens",
		"html_url":         v.URL + "/organizations/" + i.account.login + "/settings/installations/" + strconv.FormatInt(i.id, 10),
		"repositories_url": v.URL + "/api/v3/installation/repositories",
	}
}

func (v *Render) Grant(g *grant, install *installation) obj {
	j := obj{"token": g.token, "expires_at": stamp(g.expires), "permissions": g.permissions, "repository_selection": "all"}
	if g.repos == nil {
		if !install.all {
			j["repository_selection"] = "selected"
		}
		return j
	}
	j["repository_selection"] = "selected"
	listed := []any{}
	for _, r := range v.hub.Repos.ReachedBy(install) {
		if g.repos[r.id] {
			listed = append(listed, v.Repo(r))
		}
	}
	j["repositories"] = listed
	return j
}
