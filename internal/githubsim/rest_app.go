package githubsim

import (
	"net/http"
	"slices"
)

func (s *Server) appRoutes(t *table) {
	t.app("GET /app", s.showApp)
	t.app("GET /app/installations", s.listInstallations)
	t.app("GET /app/installations/{installation_id}", s.showInstallation)
	t.app("DELETE /app/installations/{installation_id}", s.deleteInstallation)
	t.app("POST /app/installations/{installation_id}/access_tokens", s.createAccessToken)
	t.app("PUT /app/installations/{installation_id}/suspended", s.suspendInstallation)
	t.app("DELETE /app/installations/{installation_id}/suspended", s.unsuspendInstallation)
	t.app("GET /repos/{owner}/{repo}/installation", s.showRepoInstallation)
	t.app("GET /orgs/{org}/installation", s.showAccountInstallation)
	t.app("GET /users/{username}/installation", s.showAccountInstallation)
	t.open("POST /app-manifests/{code}/conversions", s.convertManifest)
	t.open("GET /apps/{app_slug}", s.showPublicApp)
	t.with("metadata:read", "GET /installation/repositories", s.listInstallationRepos)
	t.with("metadata:read", "DELETE /installation/token", s.revokeToken)
	t.open("GET /rate_limit", s.rateLimit)
	t.open("GET /meta", s.showMeta)
}

func (s *Server) showApp(c *call) (reply, error) {
	j := c.appJSON(c.world.app)
	j["installations_count"] = len(c.installs)
	return ok(j), nil
}

func (s *Server) showPublicApp(c *call) (reply, error) {
	a, found := c.apps[c.params["app_slug"]]
	if !found {
		return reply{}, notFound()
	}
	return ok(c.appJSON(a)), nil
}

func (s *Server) listInstallations(c *call) (reply, error) {
	return list(c, c.installs, func(i *installation) any { return c.installationJSON(i) }), nil
}

func (s *Server) showInstallation(c *call) (reply, error) {
	i, err := c.installation()
	if err != nil {
		return reply{}, err
	}
	return ok(c.installationJSON(i)), nil
}

func (s *Server) deleteInstallation(c *call) (reply, error) {
	i, err := c.installation()
	if err != nil {
		return reply{}, err
	}
	c.uninstall(i, c.world.app.bot)
	return nothing(), nil
}

func (s *Server) suspendInstallation(c *call) (reply, error) {
	i, err := c.installation()
	if err != nil {
		return reply{}, err
	}
	c.suspend(i, c.world.app.bot)
	return nothing(), nil
}

func (s *Server) unsuspendInstallation(c *call) (reply, error) {
	i, err := c.installation()
	if err != nil {
		return reply{}, err
	}
	c.unsuspend(i, c.world.app.bot)
	return nothing(), nil
}

func (s *Server) showRepoInstallation(c *call) (reply, error) {
	i, found := c.installationOf(c.repo)
	if !found {
		return reply{}, notFound()
	}
	return ok(c.installationJSON(i)), nil
}

func (s *Server) showAccountInstallation(c *call) (reply, error) {
	a, found := c.account(c.params["org"] + c.params["username"])
	if !found {
		return reply{}, notFound()
	}
	i, found := c.installationFor(a)
	if !found {
		return reply{}, notFound()
	}
	return ok(c.installationJSON(i)), nil
}

func (s *Server) listInstallationRepos(c *call) (reply, error) {
	if c.who.kind != asInstallation {
		return reply{}, refuse(http.StatusForbidden, "You must authenticate with an installation access token in order to list repositories for an installation.")
	}
	reached := slices.DeleteFunc(c.reposOf(c.who.grant.install), func(r *repository) bool { return !c.who.grant.covers(r) })
	out := counted(c, "repositories", reached, func(r *repository) any { return c.repoJSON(r) })
	selection := "selected"
	if c.who.grant.repos == nil && c.who.grant.install.all {
		selection = "all"
	}
	out.body.(obj)["repository_selection"] = selection
	return out, nil
}

func (s *Server) showMeta(*call) (reply, error) {
	return ok(obj{"verifiable_password_authentication": false, "hooks": []string{"127.0.0.1/32"}}), nil
}

// convertManifest ends the manifest flow: the code buys the App's secrets, once.
func (s *Server) convertManifest(c *call) (reply, error) {
	if _, known := c.spendCode(c.params["code"]); !known {
		return reply{}, notFound()
	}
	j := c.appJSON(c.world.app)
	j["client_id"] = orElse(s.options.OAuth.ClientID, c.world.app.clientID())
	j["client_secret"] = orElse(s.options.OAuth.ClientSecret, "simulated-client-secret")
	j["webhook_secret"] = s.options.App.WebhookSecret
	j["pem"] = s.PrivateKeyPEM()
	return created(j), nil
}
