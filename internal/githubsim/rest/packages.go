package rest

import (
	"slices"
	"strconv"

	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

// packageRoutes adds routes without a repository: packages belong to accounts.
func packageRoutes(t *table) {
	t.with("packages:read", "GET /orgs/{org}/packages/{package_type}/{package_name}/versions",
		listVersions("org", hub.KindOrg))
	t.with("packages:read", "GET /users/{username}/packages/{package_type}/{package_name}/versions",
		listVersions("username", hub.KindUser))
}

// listVersions lists the versions of a package, the newest first. An App gets only public ones, with any permissions:
// GitHub's description does not list these operations among those for Apps.
func listVersions(owner, kind string) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		a, found := c.Accounts.Find(c.params[owner])
		i := c.Images.Find(c.params[owner], c.params["package_name"])
		if !found || a.Kind != kind || i == nil || c.params["package_type"] != "container" || i.Private &&
			c.who.Kind != hub.AsUser {
			return reply{}, hub.NotFound()
		}
		newestFirst := slices.Clone(i.Versions)
		slices.Reverse(newestFirst)
		return list(c, newestFirst, func(v *hub.ImageVersion) any { return c.versionJSON(i, v) }), nil
	}
}

func (c *call) versionJSON(i *hub.Image, v *hub.ImageVersion) obj {
	url := c.Render.URL + "/api/v3/orgs/" + i.Owner.Login + "/packages/container/" + i.Name + "/versions/" +
		strconv.FormatInt(v.ID, 10)
	return obj{
		"id": v.ID, "name": v.Digest, "url": url, "package_html_url": c.Render.URL + "/orgs/" + i.Owner.Login +
			"/packages/container/package/" + i.Name,
		"html_url": c.Render.URL + "/orgs/" + i.Owner.Login + "/packages/container/" + i.Name + "/" + strconv.FormatInt(v.ID,
			10), "created_at": render.Stamp(v.Created), "updated_at": render.Stamp(v.Created),
		"metadata": obj{"package_type": "container", "container": obj{"tags": append([]string{}, v.Tags...)}},
	}
}
