package rest

import (
	"cmp"
	"net/http"
	"slices"

	"waybill/internal/githubsim/access"
	"waybill/internal/githubsim/hub"
)

func appRoutes(t *table) {
	t.app("GET /app", showApp)
	t.app("GET /app/installations", listInstallations)
	t.app("GET /app/installations/{installation_id}", showInstallation)
	t.app("DELETE /app/installations/{installation_id}", deleteInstallation)
	t.app("POST /app/installations/{installation_id}/access_tokens", createAccessToken)
	t.app("PUT /app/installations/{installation_id}/suspended", suspendInstallation)
	t.app("DELETE /app/installations/{installation_id}/suspended", unsuspendInstallation)
	t.app("GET /repos/{owner}/{repo}/installation", showRepoInstallation)
	t.app("GET /orgs/{org}/installation", showAccountInstallation)
	t.app("GET /users/{username}/installation", showAccountInstallation)
	t.open("POST /app-manifests/{code}/conversions", convertManifest)
	t.open("GET /apps/{app_slug}", showPublicApp)
	t.with("metadata:read", "GET /installation/repositories", listInstallationRepos)
	t.with("metadata:read", "DELETE /installation/token", revokeToken)
	t.open("GET /rate_limit", rateLimit)
	t.open("GET /meta", showMeta)
}

func showApp(c *call) (reply, error) {
	j := asRegistered(c, c.Render.App(c.Apps.Own))
	j["installations_count"] = len(c.Apps.Installations())
	return ok(j), nil
}

// asRegistered adds what GitHub shows of the App under test to the App itself, and leaves out where it shows an App
// beside a check run or in a webhook.
func asRegistered(c *call, j obj) obj {
	permissions := obj{}
	for name, level := range c.Apps.Own.Permissions {
		permissions[name] = level
	}
	events, _ := j["events"].([]string)
	for _, event := range []string{"deployment_protection_rule", "merge_group"} {
		if c.Apps.Own.Sees(event) {
			events = append(events, event)
		}
	}
	j["permissions"], j["events"] = permissions, events
	return j
}

func showPublicApp(c *call) (reply, error) {
	a, found := c.Apps.Find(c.params["app_slug"])
	if !found {
		return reply{}, hub.NotFound()
	}
	return ok(c.Render.App(a)), nil
}

func listInstallations(c *call) (reply, error) {
	return list(c, c.Apps.Installations(), func(i *hub.Installation) any {
		return asRegistered(c, c.Render.Installation(i))
	}), nil
}

func showInstallation(c *call) (reply, error) {
	i, err := c.installation()
	if err != nil {
		return reply{}, err
	}
	return ok(asRegistered(c, c.Render.Installation(i))), nil
}

func deleteInstallation(c *call) (reply, error) {
	i, err := c.installation()
	if err != nil {
		return reply{}, err
	}
	c.Apps.Uninstall(i, c.Apps.Own.Bot)
	return nothing(), nil
}

func suspendInstallation(c *call) (reply, error) {
	i, err := c.installation()
	if err != nil {
		return reply{}, err
	}
	c.Apps.Suspend(i, c.Apps.Own.Bot)
	return nothing(), nil
}

func unsuspendInstallation(c *call) (reply, error) {
	i, err := c.installation()
	if err != nil {
		return reply{}, err
	}
	c.Apps.Unsuspend(i, c.Apps.Own.Bot)
	return nothing(), nil
}

func showRepoInstallation(c *call) (reply, error) {
	i, found := c.Apps.InstallationOf(c.repo)
	if !found {
		return reply{}, hub.NotFound()
	}
	return ok(c.Render.Installation(i)), nil
}

func showAccountInstallation(c *call) (reply, error) {
	a, found := c.Accounts.Find(c.params["org"] + c.params["username"])
	if !found {
		return reply{}, hub.NotFound()
	}
	i, found := c.Apps.InstallationFor(a)
	if !found {
		return reply{}, hub.NotFound()
	}
	return ok(c.Render.Installation(i)), nil
}

func listInstallationRepos(c *call) (reply, error) {
	if c.who.Kind != hub.AsInstallation {
		return reply{}, hub.Refuse(http.StatusForbidden,
			"You must authenticate with an installation access token in order to list repositories for an installation.")
	}
	reached := slices.DeleteFunc(c.Repos.ReachedBy(c.who.Grant.Install),
		func(r *hub.Repository) bool { return !c.who.Grant.Covers(r) })
	out := counted(c, "repositories", reached, func(r *hub.Repository) any { return c.Render.Repo(r) })
	selection := "selected"
	if c.who.Grant.Repos == nil && c.who.Grant.Install.All {
		selection = "all"
	}
	out.Body.(obj)["repository_selection"] = selection
	return out, nil
}

func rateLimit(c *call) (reply, error) {
	if c.api.Limits.Off() {
		return reply{}, hub.Refuse(http.StatusNotFound, "Rate limiting is not enabled.")
	}
	c.api.Limits.Refund(c.who, access.Core) // this request does not count
	share := func(resource string) obj {
		used, reset := c.api.Limits.Used(c.who, resource)
		most := c.api.Limits.PerHour()
		return obj{"limit": most, "remaining": max(0, most-used), "used": used, "reset": reset.Unix()}
	}
	core := share(access.Core)
	return ok(obj{
		"resources": obj{"core": core, "graphql": share(access.GraphQL), "search": share("search")}, "rate": core,
	}), nil
}

func showMeta(*call) (reply, error) {
	return ok(obj{"verifiable_password_authentication": false, "hooks": []string{"127.0.0.1/32"}}), nil
}

// convertManifest ends the manifest flow: it exchanges the code for the App's secrets, once.
func convertManifest(c *call) (reply, error) {
	if _, known := c.api.Codes.Spend(c.params["code"]); !known {
		return reply{}, hub.NotFound()
	}
	j := c.Render.App(c.Apps.Own)
	secrets := c.api.Secrets
	j["client_id"] = cmp.Or(secrets.ClientID, c.Apps.Own.ClientID())
	j["client_secret"] = secrets.ClientSecret
	j["webhook_secret"] = secrets.Webhook
	j["pem"] = secrets.PEM
	return created(j), nil
}
