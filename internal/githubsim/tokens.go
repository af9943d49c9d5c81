package githubsim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v4"
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
	permissions, err := narrowPermissions(c.world.app.permissions, in.Permissions)
	if err != nil {
		return reply{}, err
	}
	repos, err := c.world.narrowRepos(install, in.Repositories, in.RepositoryIDs)
	if err != nil {
		return reply{}, err
	}
	g := &grant{kind: asInstallation, install: install, permissions: permissions, repos: repos, expires: c.server.options.AuthClock().Add(tokenLife).Truncate(time.Second)}
	if g.token, err = c.server.mint(g); err != nil {
		return reply{}, err
	}
	c.world.grants[g.token] = g
	return created(c.world.grantJSON(g, install)), nil
}

func (w *world) grantJSON(g *grant, install *installation) obj {
	j := obj{"token": g.token, "expires_at": stamp(g.expires), "permissions": g.permissions, "repository_selection": "all"}
	if g.repos == nil {
		if !install.all {
			j["repository_selection"] = "selected"
		}
		return j
	}
	j["repository_selection"] = "selected"
	listed := []any{}
	for _, r := range w.reposOf(install) {
		if g.repos[r.id] {
			listed = append(listed, w.repoJSON(r))
		}
	}
	j["repositories"] = listed
	return j
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
func (w *world) narrowRepos(install *installation, names []string, ids []int64) (map[int64]bool, error) {
	if len(names) == 0 && len(ids) == 0 {
		return nil, nil
	}
	narrowed := map[int64]bool{}
	for _, r := range w.reposOf(install) {
		for _, name := range names {
			narrowed[r.id] = narrowed[r.id] || sameLogin(name, r.name)
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

// mint makes the token's text: 40 characters, or the long form that carries a JWT.
func (s *Server) mint(g *grant) (string, error) {
	id := s.world.nextID()
	if !s.options.App.LongTokens {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d", s.options.Seed, id))
		return "ghs_" + hex.EncodeToString(sum[:])[:36], nil
	}
	claims := jwt.MapClaims{"jti": id, "exp": g.expires.Unix(), "sub": g.install.id}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("githubsim"))
	if err != nil {
		return "", fmt.Errorf("sign installation token: %w", err)
	}
	return "ghs_" + itoa(s.world.app.id) + "_" + signed, nil
}

func revokeToken(c *call) (reply, error) {
	delete(c.world.grants, c.who.grant.token)
	return reply{status: http.StatusNoContent}, nil
}

// UserToken mints a user-to-server token, as a person's own client or a sign-in would have it.
func (s *Server) UserToken(login string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.userToken(s.world.person(login))
}

func (s *Server) userToken(a *account) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "user/%d/%d", s.options.Seed, s.world.nextID()))
	g := &grant{kind: asUser, account: a, token: "ghu_" + hex.EncodeToString(sum[:])[:36]}
	s.world.grants[g.token] = g
	return g.token
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// sortedKeys lists the keys of a set in order, so that answers are deterministic.
func sortedKeys[V any](set map[string]V) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
