package githubsim

import (
	"slices"
	"strconv"
)

// Who asks for packages needs no repository: they belong to accounts.
func packageRoutes(t *table) {
	t.with("packages:read", "GET /orgs/{org}/packages/{package_type}/{package_name}/versions", listVersions("org", kindOrg))
	t.with("packages:read", "GET /users/{username}/packages/{package_type}/{package_name}/versions", listVersions("username", kindUser))
}

// listVersions answers the versions of a package, the newest first. An App sees those that everybody sees, whatever it was given: GitHub's
// description does not list these operations among those for Apps.
func listVersions(owner, kind string) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		a, found := c.Accounts.Find(c.params[owner])
		i := c.Images.Find(c.params[owner], c.params["package_name"])
		if !found || a.kind != kind || i == nil || c.params["package_type"] != "container" || i.private && c.who.kind != asUser {
			return reply{}, notFound()
		}
		newestFirst := slices.Clone(i.versions)
		slices.Reverse(newestFirst)
		return list(c, newestFirst, func(v *imageVersion) any { return c.versionJSON(i, v) }), nil
	}
}

func (c *call) versionJSON(i *image, v *imageVersion) obj {
	url := c.Render.URL + "/api/v3/orgs/" + i.owner.login + "/packages/container/" + i.name + "/versions/" + strconv.FormatInt(v.id, 10)
	return obj{
		"id": v.id, "name": v.digest, "url": url, "package_html_url": c.Render.URL + "/orgs/" + i.owner.login + "/packages/container/package/" + i.name,
		"html_url": c.Render.URL + "/orgs/" + i.owner.login + "/packages/container/" + i.name + "/" + strconv.FormatInt(v.id, 10), "created_at": stamp(v.created), "updated_at": stamp(v.created),
		"metadata": obj{"package_type": "container", "container": obj{"tags": append([]string{}, v.tags...)}},
	}
}
