package githubsim

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
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

func (c *call) userJSON(a *account) obj {
	j := c.Render.Account(a).(obj)
	j["name"], j["email"], j["created_at"], j["updated_at"] = a.login, nil, stamp(a.created), stamp(a.created)
	return j
}

func showUser(c *call) (reply, error) {
	a, found := c.Accounts.Find(c.params["username"])
	if !found {
		return reply{}, notFound()
	}
	return ok(c.userJSON(a)), nil
}

func showUserByID(c *call) (reply, error) {
	for _, a := range c.Accounts.All() {
		if strconv.FormatInt(a.id, 10) == c.params["account_id"] {
			return ok(c.userJSON(a)), nil
		}
	}
	return reply{}, notFound()
}

func showSelf(c *call) (reply, error) {
	if c.who.kind != asUser {
		return reply{}, refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	return ok(c.userJSON(c.who.account)), nil
}

func (c *call) org() (*account, error) {
	a, found := c.Accounts.Find(c.params["org"])
	if !found || a.kind != kindOrg {
		return nil, notFound()
	}
	return a, nil
}

func showOrg(c *call) (reply, error) {
	org, err := c.org()
	if err != nil {
		return reply{}, err
	}
	j := c.Render.Organization(org)
	j["html_url"], j["created_at"], j["updated_at"], j["type"] = c.Render.URL+"/"+org.login, stamp(org.created), stamp(org.created), org.kind
	return ok(j), nil
}

func checkMember(c *call) (reply, error) {
	org, err := c.org()
	if err != nil {
		return reply{}, err
	}
	if !org.isMember(c.params["username"]) {
		return reply{}, notFound()
	}
	return nothing(), nil
}

func showMembership(c *call) (reply, error) {
	org, err := c.org()
	if err != nil {
		return reply{}, err
	}
	a, found := c.Accounts.Find(c.params["username"])
	if !found || !org.isMember(a.login) {
		return reply{}, notFound()
	}
	api := c.Render.URL + "/api/v3/orgs/" + org.login
	return ok(obj{
		"url": api + "/memberships/" + a.login, "state": "active", "role": "member", "organization_url": api,
		"organization": c.Render.Organization(org), "user": c.Render.Account(a),
	}), nil
}

func listTeams(c *call) (reply, error) {
	org, err := c.org()
	if err != nil {
		return reply{}, err
	}
	return list(c, org.teams, func(t *team) any { return c.Render.Team(org, t) }), nil
}

func (c *call) team() (*account, *team, error) {
	org, err := c.org()
	if err != nil {
		return nil, nil, err
	}
	t := org.team(c.params["team_slug"])
	if t == nil {
		return nil, nil, notFound()
	}
	return org, t, nil
}

func showTeam(c *call) (reply, error) {
	org, t, err := c.team()
	if err != nil {
		return reply{}, err
	}
	j := c.Render.Team(org, t)
	j["members_count"], j["repos_count"], j["organization"] = len(t.members), len(t.repos), c.Render.Organization(org)
	j["created_at"], j["updated_at"] = stamp(org.created), stamp(org.created)
	return ok(j), nil
}

func listTeamMembers(c *call) (reply, error) {
	_, t, err := c.team()
	if err != nil {
		return reply{}, err
	}
	return list(c, sortedKeys(t.members), func(login string) any {
		a, _ := c.Accounts.Find(login)
		return c.Render.Account(a)
	}), nil
}

func showTeamMembership(c *call) (reply, error) {
	org, t, err := c.team()
	if err != nil {
		return reply{}, err
	}
	if !org.in(t, strings.ToLower(c.params["username"])) {
		return reply{}, notFound()
	}
	return ok(obj{"url": c.Render.URL + "/api/v3" + c.request.URL.Path, "role": "member", "state": "active"}), nil
}

func (c *call) collaboratorJSON(a *account) obj {
	level := c.repo.level(a)
	rank := levelRank(level)
	j := c.Render.Account(a).(obj)
	j["role_name"] = level
	if custom := c.repo.roles[strings.ToLower(a.login)]; custom != "" {
		j["role_name"] = custom
	}
	j["permissions"] = obj{
		"pull": rank >= levelRank("read"), "triage": rank >= levelRank("triage"), "push": rank >= levelRank("write"),
		"maintain": rank >= levelRank("maintain"), "admin": rank >= levelRank("admin"),
	}
	return j
}

func listCollaborators(c *call) (reply, error) {
	var people []*account
	for _, a := range c.Accounts.All() {
		if a.kind == kindUser && c.isCollaborator(a) {
			people = append(people, a)
		}
	}
	return list(c, people, func(a *account) any { return c.collaboratorJSON(a) }), nil
}

// isCollaborator reports whether somebody has more than what everybody has.
func (c *call) isCollaborator(a *account) bool {
	login := strings.ToLower(a.login)
	if c.repo.owner == a || c.repo.owner.isMember(login) {
		return c.repo.level(a) != "none"
	}
	return c.repo.collaborators[login] != "" && c.repo.collaborators[login] != "none" ||
		slices.ContainsFunc(c.repo.owner.teams, func(t *team) bool {
			return c.repo.owner.in(t, login) && t.repos[strings.ToLower(c.repo.fullName())] != ""
		})
}

func checkCollaborator(c *call) (reply, error) {
	a, found := c.Accounts.Find(c.params["username"])
	if !found || !c.isCollaborator(a) {
		return reply{}, notFound()
	}
	return nothing(), nil
}

func showPermission(c *call) (reply, error) {
	a, found := c.Accounts.Find(c.params["username"])
	if !found {
		return reply{}, refuse(http.StatusNotFound, "%s is not a user", c.params["username"])
	}
	level := c.repo.level(a)
	user := c.collaboratorJSON(a)
	return ok(obj{"permission": folded(level), "role_name": user["role_name"], "user": user}), nil
}
