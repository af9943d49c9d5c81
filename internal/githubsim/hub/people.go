package hub

import "strings"

// The repository permissions in ascending order. GitHub's permission endpoint maps them to four.
var levels = []string{"none", "read", "triage", "write", "maintain", "admin"}

// LevelRank returns the rank of a level: a higher one permits more.
func LevelRank(level string) int {
	for i, one := range levels {
		if one == level {
			return i
		}
	}
	return 0
}

// Level returns the highest level that a person has on a repository.
func (r *Repository) Level(a *Account) string {
	login := strings.ToLower(a.Login)
	best := "none"
	raise := func(level string) {
		if LevelRank(level) > LevelRank(best) {
			best = level
		}
	}
	if !r.Private {
		raise("read")
	}
	if r.Owner == a || r.Owner.boss == a {
		return "admin"
	}
	if granted, ok := r.Collaborators[login]; ok {
		if granted == "none" {
			return best // for tests: in GitHub no one can remove all access
		}
		raise(granted)
		return best
	}
	if r.Owner.IsMember(login) {
		raise(r.Owner.basePermission)
	}
	for _, t := range r.Owner.Teams {
		if r.Owner.In(t, login) {
			raise(t.Repos[strings.ToLower(r.FullName())])
		}
	}
	return best
}

// Association returns GitHub's name for a person's relation to a repository.
func (r *Repository) Association(a *Account) string {
	switch {
	case a == r.Owner:
		return "OWNER"
	case r.Owner.IsMember(a.Login):
		return "MEMBER"
	case r.Collaborators[strings.ToLower(a.Login)] != "":
		return "COLLABORATOR"
	}
	return "NONE"
}

// Folded returns the level as the endpoint's "permission": maintain as write, triage as read.
func Folded(level string) string {
	switch level {
	case "maintain":
		return "write"
	case "triage":
		return "read"
	}
	return level
}

// IsMember reports whether a login is a member of an organization.
func (a *Account) IsMember(login string) bool { return a.members[strings.ToLower(login)] }

// Orgs manages the members of organizations and teams, and the permissions on repositories.
type Orgs struct {
	clock    *Clock
	accounts *Accounts
	repos    *Repos
	events   *Events
}

// Join makes a login a member of an organization.
func (gs *Orgs) Join(org *Account, login string) { org.members[strings.ToLower(login)] = true }

// SetBasePermission changes the permission of members on the repositories of their organization.
func (gs *Orgs) SetBasePermission(org *Account, level string) { org.basePermission = level }

// CreateTeam makes a team, with its permissions by repository ("acme/app": "write") and its members.
func (gs *Orgs) CreateTeam(org *Account, slug string, repos map[string]string, members []string) {
	t := &Team{ID: gs.clock.NextID(), Slug: slug, Members: map[string]bool{}, Repos: map[string]string{}}
	for name, level := range repos {
		t.Repos[strings.ToLower(name)] = level
	}
	for _, login := range members {
		gs.accounts.Person(login)
		t.Members[strings.ToLower(login)] = true
	}
	org.Teams = append(org.Teams, t)
}

// SetTeamMember adds a person to a team, or removes them.
func (gs *Orgs) SetTeamMember(org *Account, t *Team, who *Account, member bool) {
	login := strings.ToLower(who.Login)
	if t.Members[login] == member {
		return
	}
	action := "added"
	if member {
		t.Members[login] = true
	} else {
		delete(t.Members, login)
		action = "removed"
	}
	gs.events.OfOrg(org, "membership", action, Membership{t, who}, nil)
}

// NestTeam makes above the parent of below.
func (gs *Orgs) NestTeam(org *Account, below, above *Team) {
	below.Parent = above
	gs.events.OfOrg(org, "team", "edited", below, Fields{"changes": Fields{}})
}

// Remove removes a person from an organization, its teams and its repositories.
func (gs *Orgs) Remove(org, who *Account) {
	login := strings.ToLower(who.Login)
	delete(org.members, login)
	for _, t := range org.Teams {
		delete(t.Members, login)
	}
	for _, r := range gs.repos.Sorted() {
		if r.Owner == org {
			delete(r.Collaborators, login)
		}
	}
	gs.events.OfOrg(org, "organization", "member_removed", Membership{Member: who}, nil)
}

// RenameUser changes a person's login, also in their permissions.
func (gs *Orgs) RenameUser(who *Account, to string) {
	from, now := strings.ToLower(who.Login), strings.ToLower(to)
	gs.accounts.rename(who, to)
	for _, r := range gs.repos.Sorted() {
		move(r.Collaborators, from, now)
		move(r.Roles, from, now)
	}
}

// RenameOrg changes the login of an organization, and so the names of its repositories. The old names redirect to them.
func (gs *Orgs) RenameOrg(org *Account, to string) {
	var mine []*Repository
	for _, r := range gs.repos.Sorted() {
		if r.Owner == org {
			mine = append(mine, r)
			delete(gs.repos.byName, strings.ToLower(r.FullName()))
			gs.repos.moved[strings.ToLower(r.FullName())] = r
		}
	}
	was := org.Login
	gs.accounts.rename(org, to)
	for _, r := range mine {
		gs.repos.byName[strings.ToLower(r.FullName())] = r
		for _, t := range org.Teams {
			move(t.Repos, strings.ToLower(was+"/"+r.Name), strings.ToLower(r.FullName()))
		}
	}
	gs.events.OfOrg(org, "organization", "renamed", nil, Fields{"changes": Fields{"login": Fields{"from": was}}})
}

// SetCustomRole sets the custom role that gives a person their level.
func (gs *Orgs) SetCustomRole(r *Repository, who *Account, role string) {
	if r.Roles == nil {
		r.Roles = map[string]string{}
	}
	r.Roles[strings.ToLower(who.Login)] = role
}

// SetPermission gives a person a level on a repository.
func (gs *Orgs) SetPermission(r *Repository, who *Account, level string) {
	login := strings.ToLower(who.Login)
	before, known := r.Collaborators[login]
	r.Collaborators[login] = level
	delete(r.Roles, login)
	with, action := Fields{"member": who}, "added"
	switch {
	case level == "none":
		action = "removed"
	case known && before != "none":
		action = "edited"
		with["changes"] = Fields{"permission": Fields{"from": Folded(before), "to": Folded(level)}}
	default:
		with["changes"] = Fields{"permission": Fields{"to": Folded(level)}, "role_name": Fields{"to": level}}
	}
	gs.events.OfRepo(r, "member", action, r.Owner.Ruler(), nil, with)
}
