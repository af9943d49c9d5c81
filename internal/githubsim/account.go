package githubsim

import (
	"strings"
	"time"
)

// The kinds of accounts, as GitHub's "type" says them.
const (
	kindUser = "User"
	kindOrg  = "Organization"
	kindBot  = "Bot"
)

// account is a user, an organization or the bot of an App.
type account struct {
	id      int64
	login   string
	kind    string
	created time.Time

	// for organizations
	members        map[string]bool // by lower-case login
	basePermission string          // what members may do in its repositories
	teams          []*team
	boss           *account // who owns it; admin of everything in it
}

// team is a team of an organization. Whoever is in a team is in those that it stands under.
type team struct {
	id      int64
	slug    string
	parent  *team
	members map[string]bool   // by lower-case login
	repos   map[string]string // permission by lower-case full name
}

// team finds a team of an organization by slug.
func (a *account) team(slug string) *team {
	for _, t := range a.teams {
		if t.slug == slug {
			return t
		}
	}
	return nil
}

// in reports whether somebody is in a team, or in one that stands under it.
func (a *account) in(t *team, login string) bool {
	for _, one := range a.teams {
		for up := one; up != nil && one.members[login]; up = up.parent {
			if up == t {
				return true
			}
		}
	}
	return false
}

// Accounts are the people, organizations and bots.
type Accounts struct {
	clock   *Clock
	byLogin map[string]*account // in lower case
}

// Find finds an account by its login.
func (as *Accounts) Find(login string) (*account, bool) {
	a, ok := as.byLogin[strings.ToLower(login)]
	return a, ok
}

// New makes an account; an organization gets an owner.
func (as *Accounts) New(login, kind string) *account {
	a := &account{id: as.clock.NextID(), login: login, kind: kind, created: as.clock.Now()}
	if kind == kindOrg {
		a.members = map[string]bool{}
		a.basePermission = "write"
		a.boss = &account{id: as.clock.NextID(), login: login + "-owner", kind: kindUser, created: as.clock.Now()}
		a.members[strings.ToLower(a.boss.login)] = true
		as.byLogin[strings.ToLower(a.boss.login)] = a.boss
	}
	as.byLogin[strings.ToLower(login)] = a
	return a
}

// Person finds a user, or makes one who is a member of every organization: tests name people without introducing them.
func (as *Accounts) Person(login string) *account {
	if a, ok := as.Find(login); ok {
		return a
	}
	a := as.New(login, kindUser)
	for _, org := range as.byLogin {
		if org.kind == kindOrg {
			org.members[strings.ToLower(login)] = true
		}
	}
	return a
}

// All lists the accounts by login.
func (as *Accounts) All() []*account {
	var all []*account
	for _, login := range sortedKeys(as.byLogin) {
		all = append(all, as.byLogin[login])
	}
	return all
}

// Rename gives an account another login, also where it is a member.
func (as *Accounts) Rename(who *account, to string) {
	from := lower(who.login)
	delete(as.byLogin, from)
	who.login, as.byLogin[lower(to)] = to, who
	for _, a := range as.byLogin {
		move(a.members, from, lower(to))
		for _, t := range a.teams {
			move(t.members, from, lower(to))
		}
	}
}

func move[V any](all map[string]V, from, to string) {
	if v, there := all[from]; there {
		delete(all, from)
		all[to] = v
	}
}

// ruler is the person who administers an account: an organization's owner, or the user.
func (a *account) ruler() *account {
	if a.boss != nil {
		return a.boss
	}
	return a
}

// email is the address GitHub puts into commits it makes for somebody.
func (a *account) email() string { return itoa(a.id) + "+" + a.login + noReply }

// noReply ends the addresses by which GitHub knows its own accounts in commits.
const noReply = "@users.noreply.github.com"

// ByEmail finds the account of an address in a commit.
func (as *Accounts) ByEmail(email string) (*account, bool) {
	name, isOurs := strings.CutSuffix(email, noReply)
	_, login, _ := strings.Cut(name, "+")
	if !isOurs {
		return nil, false
	}
	return as.Find(login)
}

// Account renders GitHub's "simple-user".
func (v *Render) Account(a *account) any {
	if a == nil {
		return nil
	}
	api := v.URL + "/api/v3/users/" + a.login
	return obj{
		"login": a.login, "id": a.id, "node_id": nodeID("U", a.id), "type": a.kind, "site_admin": false, "gravatar_id": "",
		"url": api, "html_url": v.URL + "/" + a.login, "avatar_url": v.URL + "/" + a.login + ".png",
		"followers_url": api + "/followers", "following_url": api + "/following{/other_user}", "gists_url": api + "/gists{/gist_id}",
		"starred_url": api + "/starred{/owner}{/repo}", "subscriptions_url": api + "/subscriptions", "organizations_url": api + "/orgs",
		"repos_url": api + "/repos", "events_url": api + "/events{/privacy}", "received_events_url": api + "/received_events",
	}
}

// organizationJSON renders the organization of a webhook.
func (v *Render) Organization(a *account) obj {
	api := v.URL + "/api/v3/orgs/" + a.login
	return obj{
		"login": a.login, "id": a.id, "node_id": nodeID("O", a.id), "url": api, "repos_url": api + "/repos", "events_url": api + "/events",
		"hooks_url": api + "/hooks", "issues_url": api + "/issues", "members_url": api + "/members{/member}",
		"public_members_url": api + "/public_members{/member}", "avatar_url": v.URL + "/" + a.login + ".png", "description": "",
	}
}

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
	if r.owner.members[login] {
		raise(r.owner.basePermission)
	}
	for _, t := range r.owner.teams {
		if r.owner.in(t, login) {
			raise(t.repos[strings.ToLower(r.fullName())])
		}
	}
	return best
}
