package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

func peopleRoutes(t *table) {
	t.open("GET /users/{username}", showUser)
	t.open("GET /user/{account_id}", showUserByID)
	t.with("metadata:read", "GET /user", showSelf)
	t.open("GET /orgs/{org}", showOrg)
	t.with("members:read", "GET /orgs/{org}/members/{username}", checkMember)
	t.with("members:read", "GET /orgs/{org}/memberships/{username}", showMembership)
	t.with("members:read", "GET /orgs/{org}/teams", listTeams)
	t.with("members:read", "GET /orgs/{org}/teams/{team_slug}", showTeam)
	t.with("members:read", "GET /orgs/{org}/teams/{team_slug}/members", listTeamMembers)
	t.with("members:read", "GET /orgs/{org}/teams/{team_slug}/memberships/{username}", showTeamMembership)
	t.with("metadata:read", "GET /repos/{owner}/{repo}/collaborators", listCollaborators)
	t.with("metadata:read", "GET /repos/{owner}/{repo}/collaborators/{username}", checkCollaborator)
	t.with("metadata:read", "GET /repos/{owner}/{repo}/collaborators/{username}/permission", showPermission)
}

func (c *call) userJSON(a *hub.Account) obj {
	j := c.Render.Account(a).(obj)
	j["name"], j["email"], j["created_at"], j["updated_at"] = a.Login, nil, render.Stamp(a.Created),
		render.Stamp(a.Created)
	return j
}

func showUser(c *call) (reply, error) {
	a, found := c.Accounts.Find(c.params["username"])
	if !found {
		return reply{}, hub.NotFound()
	}
	return ok(c.userJSON(a)), nil
}

func showUserByID(c *call) (reply, error) {
	for _, a := range c.Accounts.All() {
		if strconv.FormatInt(a.ID, 10) == c.params["account_id"] {
			return ok(c.userJSON(a)), nil
		}
	}
	return reply{}, hub.NotFound()
}

func showSelf(c *call) (reply, error) {
	if c.who.Kind != hub.AsUser {
		return reply{}, hub.Refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	return ok(c.userJSON(c.who.Account)), nil
}

func (c *call) org() (*hub.Account, error) {
	a, found := c.Accounts.Find(c.params["org"])
	if !found || a.Kind != hub.KindOrg {
		return nil, hub.NotFound()
	}
	return a, nil
}

func showOrg(c *call) (reply, error) {
	org, err := c.org()
	if err != nil {
		return reply{}, err
	}
	j := c.Render.Organization(org)
	j["html_url"], j["created_at"], j["updated_at"], j["type"] = c.Render.URL+"/"+org.Login, render.Stamp(org.Created),
		render.Stamp(org.Created), org.Kind
	return ok(j), nil
}

func checkMember(c *call) (reply, error) {
	org, err := c.org()
	if err != nil {
		return reply{}, err
	}
	if !org.IsMember(c.params["username"]) {
		return reply{}, hub.NotFound()
	}
	return nothing(), nil
}

func showMembership(c *call) (reply, error) {
	org, err := c.org()
	if err != nil {
		return reply{}, err
	}
	a, found := c.Accounts.Find(c.params["username"])
	if !found || !org.IsMember(a.Login) {
		return reply{}, hub.NotFound()
	}
	api := c.Render.URL + "/api/v3/orgs/" + org.Login
	return ok(obj{
		"url": api + "/memberships/" + a.Login, "state": "active", "role": "member", "organization_url": api,
		"organization": c.Render.Organization(org), "user": c.Render.Account(a),
	}), nil
}

func listTeams(c *call) (reply, error) {
	org, err := c.org()
	if err != nil {
		return reply{}, err
	}
	return list(c, org.Teams, func(t *hub.Team) any { return c.Render.Team(org, t) }), nil
}

func (c *call) team() (*hub.Account, *hub.Team, error) {
	org, err := c.org()
	if err != nil {
		return nil, nil, err
	}
	t := org.Team(c.params["team_slug"])
	if t == nil {
		return nil, nil, hub.NotFound()
	}
	return org, t, nil
}

func showTeam(c *call) (reply, error) {
	org, t, err := c.team()
	if err != nil {
		return reply{}, err
	}
	j := c.Render.Team(org, t)
	j["members_count"], j["repos_count"], j["organization"] = len(t.Members), len(t.Repos), c.Render.Organization(org)
	j["created_at"], j["updated_at"] = render.Stamp(org.Created), render.Stamp(org.Created)
	return ok(j), nil
}

func listTeamMembers(c *call) (reply, error) {
	_, t, err := c.team()
	if err != nil {
		return reply{}, err
	}
	return list(c, hub.SortedKeys(t.Members), func(login string) any {
		a, _ := c.Accounts.Find(login)
		return c.Render.Account(a)
	}), nil
}

func showTeamMembership(c *call) (reply, error) {
	org, t, err := c.team()
	if err != nil {
		return reply{}, err
	}
	if !org.In(t, strings.ToLower(c.params["username"])) {
		return reply{}, hub.NotFound()
	}
	return ok(obj{"url": c.Render.URL + "/api/v3" + c.request.URL.Path, "role": "member", "state": "active"}), nil
}

func (c *call) collaboratorJSON(a *hub.Account) obj {
	level := c.repo.Level(a)
	rank := hub.LevelRank(level)
	j := c.Render.Account(a).(obj)
	j["role_name"] = level
	if custom := c.repo.Roles[strings.ToLower(a.Login)]; custom != "" {
		j["role_name"] = custom
	}
	j["permissions"] = obj{
		"pull": rank >= hub.LevelRank("read"), "triage": rank >= hub.LevelRank("triage"),
		"push":     rank >= hub.LevelRank("write"),
		"maintain": rank >= hub.LevelRank("maintain"), "admin": rank >= hub.LevelRank("admin"),
	}
	return j
}

func listCollaborators(c *call) (reply, error) {
	var people []*hub.Account
	for _, a := range c.Accounts.All() {
		if a.Kind == hub.KindUser && c.isCollaborator(a) {
			people = append(people, a)
		}
	}
	return list(c, people, func(a *hub.Account) any { return c.collaboratorJSON(a) }), nil
}

// isCollaborator reports whether an account has more permissions than the public.
func (c *call) isCollaborator(a *hub.Account) bool {
	login := strings.ToLower(a.Login)
	if c.repo.Owner == a || c.repo.Owner.IsMember(login) {
		return c.repo.Level(a) != "none"
	}
	return c.repo.Collaborators[login] != "" && c.repo.Collaborators[login] != "none" ||
		slices.ContainsFunc(c.repo.Owner.Teams, func(t *hub.Team) bool {
			return c.repo.Owner.In(t, login) && t.Repos[strings.ToLower(c.repo.FullName())] != ""
		})
}

func checkCollaborator(c *call) (reply, error) {
	a, found := c.Accounts.Find(c.params["username"])
	if !found || !c.isCollaborator(a) {
		return reply{}, hub.NotFound()
	}
	return nothing(), nil
}

func showPermission(c *call) (reply, error) {
	a, found := c.Accounts.Find(c.params["username"])
	if !found {
		return reply{}, hub.Refuse(http.StatusNotFound, "%s is not a user", c.params["username"])
	}
	level := c.repo.Level(a)
	user := c.collaboratorJSON(a)
	return ok(obj{"permission": hub.Folded(level), "role_name": user["role_name"], "user": user}), nil
}
