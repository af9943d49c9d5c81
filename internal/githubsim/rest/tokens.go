package rest

import (
	"net/http"
	"strings"

	"waybill/internal/githubsim/hub"
)

// createAccessToken mints an installation token, narrowed as requested.
func createAccessToken(c *call) (reply, error) {
	install, err := c.installation()
	if err != nil {
		return reply{}, err
	}
	if !install.Suspended.IsZero() {
		return reply{}, hub.Refuse(http.StatusForbidden, "This installation has been suspended")
	}
	var in struct {
		Repositories  []string          `json:"repositories"`
		RepositoryIDs []int64           `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	permissions, err := narrowPermissions(c.Apps.Own.Permissions, in.Permissions)
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

// narrowPermissions returns the permissions of a narrowed token. A permission that the App does not have is a 422.
func narrowPermissions(given, asked map[string]string) (map[string]string, error) {
	if len(asked) == 0 {
		return given, nil
	}
	narrowed := map[string]string{"metadata": "read"}
	for name, level := range asked {
		if !hub.May(given, name, level) {
			return nil, hub.Invalid("The permissions requested are not granted to this installation.")
		}
		narrowed[name] = level
	}
	return narrowed, nil
}

// narrowRepos returns the ids of repositories by name or id, nil for all. A repository that the installation cannot
// access is a 422.
func narrowRepos(h *hub.Hub, install *hub.Installation, names []string, ids []int64) (map[int64]bool, error) {
	if len(names) == 0 && len(ids) == 0 {
		return nil, nil
	}
	narrowed := map[int64]bool{}
	for _, r := range h.Repos.ReachedBy(install) {
		for _, name := range names {
			narrowed[r.ID] = narrowed[r.ID] || strings.EqualFold(name, r.Name)
		}
		for _, id := range ids {
			narrowed[r.ID] = narrowed[r.ID] || id == r.ID
		}
		if !narrowed[r.ID] {
			delete(narrowed, r.ID)
		}
	}
	if len(narrowed) < max(len(names), len(ids)) {
		return nil,
			hub.Invalid("There is at least one repository that does not exist or is not accessible to the parent installation.")
	}
	return narrowed, nil
}

func revokeToken(c *call) (reply, error) {
	c.api.Tokens.Revoke(c.who.Grant)
	return reply{Status: http.StatusNoContent}, nil
}
