package githubsim

// Render writes what is on the hub as GitHub's REST API and webhooks show it.
type Render struct {
	URL string // of the pages for people
	hub *Hub
}

// NewRender renders a hub whose pages are at a URL.
func NewRender(url string, hub *Hub) *Render { return &Render{URL: url, hub: hub} }

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
