package render

import "waybill/internal/githubsim/hub"

import "strconv"

// Account renders GitHub's "simple-user".
func (v *Renderer) Account(a *hub.Account) any {
	if a == nil {
		return nil
	}
	api := v.URL + "/api/v3/users/" + a.Login
	return obj{
		"login": a.Login, "id": a.ID, "node_id": NodeID("U", a.ID), "type": a.Kind, "site_admin": false, "gravatar_id": "",
		"url": api, "html_url": v.URL + "/" + a.Login, "avatar_url": v.URL + "/" + a.Login + ".png",
		"followers_url": api + "/followers", "following_url": api + "/following{/other_user}",
		"gists_url":   api + "/gists{/gist_id}",
		"starred_url": api + "/starred{/owner}{/repo}", "subscriptions_url": api + "/subscriptions",
		"organizations_url": api + "/orgs",
		"repos_url":         api + "/repos", "events_url": api + "/events{/privacy}",
		"received_events_url": api + "/received_events",
	}
}

// Organization renders the organization of a webhook.
func (v *Renderer) Organization(a *hub.Account) obj {
	api := v.URL + "/api/v3/orgs/" + a.Login
	return obj{
		"login": a.Login, "id": a.ID, "node_id": NodeID("O", a.ID), "url": api, "repos_url": api + "/repos",
		"events_url": api + "/events",
		"hooks_url":  api + "/hooks", "issues_url": api + "/issues", "members_url": api + "/members{/member}",
		"public_members_url": api + "/public_members{/member}", "avatar_url": v.URL + "/" + a.Login + ".png",
		"description": "",
	}
}

// Team renders a team with those above it.
func (v *Renderer) Team(org *hub.Account, t *hub.Team) obj {
	api := v.URL + "/api/v3/organizations/" + strconv.FormatInt(org.ID, 10) + "/team/" + strconv.FormatInt(t.ID, 10)
	var parent any
	if t.Parent != nil {
		above := v.Team(org, t.Parent)
		delete(above, "parent")
		parent = above
	}
	return obj{
		"id": t.ID, "node_id": NodeID("T", t.ID), "name": t.Slug, "slug": t.Slug, "url": api, "description": nil,
		"privacy":    "closed",
		"permission": "pull", "html_url": v.URL + "/orgs/" + org.Login + "/teams/" + t.Slug,
		"members_url":      api + "/members{/member}",
		"repositories_url": api + "/repos", "parent": parent,
	}
}
