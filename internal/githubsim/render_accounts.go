package githubsim

import "strconv"

// Account renders GitHub's "simple-user".
func (v *Render) Account(a *account) any {
	if a == nil {
		return nil
	}
	api := v.URL + "/api/v3/users/" + a.login
	return obj{
		"login": a.login, "id": a.id, "node_id": nodeID("U", a.id), "type": a.kind, "site_admin": false, "gravatar_id": "",
		"url": api, "html_url": v.URL + "/" + a.login, "avatar_url": v.URL + "/" + a.login + ".png",
		"followers_url": api + "/followers", "following_url": api + "/following{/other_user}", "gists_url": api + "/gists{/gist_id}",
		"starred_url": api + "/starred{/owner}{/repo}", "subscriptions_url": api + "/subscriptions", "organizations_url": api + "/orgs",
		"repos_url": api + "/repos", "events_url": api + "/events{/privacy}", "received_events_url": api + "/received_events",
	}
}

// organizationJSON renders the organization of a webhook.
func (v *Render) Organization(a *account) obj {
	api := v.URL + "/api/v3/orgs/" + a.login
	return obj{
		"login": a.login, "id": a.id, "node_id": nodeID("O", a.id), "url": api, "repos_url": api + "/repos", "events_url": api + "/events",
		"hooks_url": api + "/hooks", "issues_url": api + "/issues", "members_url": api + "/members{/member}",
		"public_members_url": api + "/public_members{/member}", "avatar_url": v.URL + "/" + a.login + ".png", "description": "",
	}
}

func (v *Render) Team(org *account, t *team) obj {
	api := v.URL + "/api/v3/organizations/" + strconv.FormatInt(org.id, 10) + "/team/" + strconv.FormatInt(t.id, 10)
	var parent any
	if t.parent != nil {
		above := v.Team(org, t.parent)
		delete(above, "parent")
		parent = above
	}
	return obj{
		"id": t.id, "node_id": nodeID("T", t.id), "name": t.slug, "slug": t.slug, "url": api, "description": nil, "privacy": "closed",
		"permission": "pull", "html_url": v.URL + "/orgs/" + org.login + "/teams/" + t.slug, "members_url": api + "/members{/member}",
		"repositories_url": api + "/repos", "parent": parent,
	}
}
