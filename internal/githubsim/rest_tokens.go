package githubsim

import (
	"net/http"
	"strings"
)

// createAccessToken mints an installation token, narrowed as asked.
func createAccessToken(c *call) (reply, error) {
	install, err := c.installation()
	if err != nil {
		return reply{}, err
	}
	if !install.suspended.IsZero() {
		return reply{}, refuse(http.StatusForbidden, "This installation has been suspended")
	}
	var in struct {
		Repositories  []string          `json:"repositories"`
		RepositoryIDs []int64           `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	permissions, err := narrowPermissions(c.Apps.Own.permissions, in.Permissions)
	if err != nil {
		return reply{}, err
	}
	repos, err := narrowRepos(c.Hub, install, in.Repositories, in.RepositoryIDs)
	if err != nil {
		return reply{}, err
	}
	g, err := c.api.Tokens.Mint(install, permissions, repos)
	if err != nil {
		return reply{}, err
	}
	return created(c.Render.Grant(g, install)), nil
}

// narrowPermissions answers what was asked for, which must be within what the App was given.
func narrowPermissions(given, asked map[string]string) (map[string]string, error) {
	if len(asked) == 0 {
		return given, nil
	}
	narrowed := map[string]string{"metadata": "read"}
	for name, level := range asked {
		if !may(given, name, level) {
			return nil, invalid("The permissions requested are not granted to this installation.")
		}
		narrowed[name] = level
	}
	return narrowed, nil
}

// narrowRepos answers the ids asked for by name or id, nil for all; what the installation does not reach is a 422.
func narrowRepos(hub *Hub, install *installation, names []string, ids []int64) (map[int64]bool, error) {
	if len(names) == 0 && len(ids) == 0 {
		return nil, nil
	}
	narrowed := map[int64]bool{}
	for _, r := range hub.Repos.ReachedBy(install) {
		for _, name := range names {
			narrowed[r.id] = narrowed[r.id] || strings.EqualFold(name, r.name)
		}
		for _, id := range ids {
			narrowed[r.id] = narrowed[r.id] || id == r.id
		}
		if !narrowed[r.id] {
			delete(narrowed, r.id)
		}
	}
	if len(narrowed) < max(len(names), len(ids)) {
		return nil, invalid("There is at least one repository that does not exist or is not accessible to the parent installation.")
	}
	return narrowed, nil
}

func revokeToken(c *call) (reply, error) {
	c.api.Tokens.Revoke(c.who.grant)
	return reply{status: http.StatusNoContent}, nil
}
