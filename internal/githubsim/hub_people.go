package githubsim

import "strings"

// The repository permissions, from none to all. GitHub's permission endpoint folds them to four.
var levels = []string{"none", "read", "triage", "write", "maintain", "admin"}

func levelRank(level string) int {
	for i, one := range levels {
		if one == level {
			return i
		}
	}
	return 0
}

// level is the highest of all grants that a person has on a repository.
func (r *repository) level(a *account) string {
	login := strings.ToLower(a.login)
	best := "none"
	raise := func(level string) {
		if levelRank(level) > levelRank(best) {
			best = level
		}
	}
	if !r.private {
		raise("read")
	}
	if r.owner == a || r.owner.boss == a {
		return "admin"
	}
	if granted, ok := r.collaborators[login]; ok {
		if granted == "none" {
			return best // a test's way of taking everything away, beyond what GitHub can
		}
		raise(granted)
		return best
	}
	if r.owner.isMember(login) {
		raise(r.owner.basePermission)
	}
	for _, t := range r.owner.teams {
		if r.owner.in(t, login) {
			raise(t.repos[strings.ToLower(r.fullName())])
		}
	}
	return best
}

// association is how GitHub describes a person's relation to a repository.
func (r *repository) association(a *account) string {
	switch {
	case a == r.owner:
		return "OWNER"
	case r.owner.isMember(a.login):
		return "MEMBER"
	case r.collaborators[strings.ToLower(a.login)] != "":
		return "COLLABORATOR"
	}
	return "NONE"
}

// folded is the level as the "permission" of the endpoint tells it: maintain as write, triage as read.
func folded(level string) string {
	switch level {
	case "maintain":
		return "write"
	case "triage":
		return "read"
	}
	return level
}

// isMember reports whether somebody is a member of an organization.
func (a *account) isMember(login string) bool { return a.members[strings.ToLower(login)] }

// Orgs says who belongs to which organization and team, and who may do what in which repository.
type Orgs struct {
	clock    *Clock
	accounts *Accounts
	repos    *Repos
	events   *Events
}

// Join makes somebody a member of an organization.
func (gs *Orgs) Join(org *account, login string) { org.members[strings.ToLower(login)] = true }

// SetBasePermission changes what members may do in the repositories of their organization.
func (gs *Orgs) SetBasePermission(org *account, level string) { org.basePermission = level }

// CreateTeam makes a team, with what it may do by repository ("acme/app": "write") and its members.
func (gs *Orgs) CreateTeam(org *account, slug string, repos map[string]string, members []string) {
	t := &team{id: gs.clock.NextID(), slug: slug, members: map[string]bool{}, repos: map[string]string{}}
	for name, level := range repos {
		t.repos[strings.ToLower(name)] = level
	}
	for _, login := range members {
		gs.accounts.Person(login)
		t.members[strings.ToLower(login)] = true
	}
	org.teams = append(org.teams, t)
}

// SetTeamMember puts somebody into a team or takes them out.
func (gs *Orgs) SetTeamMember(org *account, t *team, who *account, member bool) {
	login := strings.ToLower(who.login)
	if t.members[login] == member {
		return
	}
	action := "added"
	if member {
		t.members[login] = true
	} else {
		delete(t.members, login)
		action = "removed"
	}
	gs.events.OfOrg(org, "membership", action, Membership{t, who}, nil)
}

// NestTeam puts a team under another one.
func (gs *Orgs) NestTeam(org *account, below, above *team) {
	below.parent = above
	gs.events.OfOrg(org, "team", "edited", below, Fields{"changes": Fields{}})
}

// Remove takes somebody out of an organization: out of its teams, and of what members may do.
func (gs *Orgs) Remove(org, who *account) {
	login := strings.ToLower(who.login)
	delete(org.members, login)
	for _, t := range org.teams {
		delete(t.members, login)
	}
	for _, r := range gs.repos.Sorted() {
		if r.owner == org {
			delete(r.collaborators, login)
		}
	}
	gs.events.OfOrg(org, "organization", "member_removed", Membership{Member: who}, nil)
}

// RenameUser gives a person another login, also where it has a right.
func (gs *Orgs) RenameUser(who *account, to string) {
	from, now := strings.ToLower(who.login), strings.ToLower(to)
	gs.accounts.rename(who, to)
	for _, r := range gs.repos.Sorted() {
		move(r.collaborators, from, now)
		move(r.roles, from, now)
	}
}

// SetCustomRole names the role that an organization has made up for a person's level.
func (gs *Orgs) SetCustomRole(r *repository, who *account, role string) {
	if r.roles == nil {
		r.roles = map[string]string{}
	}
	r.roles[strings.ToLower(who.login)] = role
}

// SetPermission gives a person a level on a repository.
func (gs *Orgs) SetPermission(r *repository, who *account, level string) {
	login := strings.ToLower(who.login)
	before, known := r.collaborators[login]
	r.collaborators[login] = level
	delete(r.roles, login)
	with, action := Fields{"member": who}, "added"
	switch {
	case level == "none":
		action = "removed"
	case known && before != "none":
		action = "edited"
		with["changes"] = Fields{"permission": Fields{"from": folded(before), "to": folded(level)}}
	default:
		with["changes"] = Fields{"permission": Fields{"to": folded(level)}, "role_name": Fields{"to": level}}
	}
	gs.events.OfRepo(r, "member", action, r.owner.ruler(), nil, with)
}
