package githubsim

import (
	"sort"
	"strconv"
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

// rename gives an account another login, also where it is a member.
func (as *Accounts) rename(who *account, to string) {
	from := strings.ToLower(who.login)
	delete(as.byLogin, from)
	who.login, as.byLogin[strings.ToLower(to)] = to, who
	for _, a := range as.byLogin {
		move(a.members, from, strings.ToLower(to))
		for _, t := range a.teams {
			move(t.members, from, strings.ToLower(to))
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
func (a *account) email() string { return strconv.FormatInt(a.id, 10) + "+" + a.login + noReply }

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

// webFlowAccount is the account of commits that GitHub makes itself.
func (as *Accounts) WebFlow() *account {
	if a, found := as.Find("web-flow"); found {
		return a
	}
	return as.New("web-flow", kindUser)
}

// sortedKeys lists the keys of a set in order, so that answers are deterministic.
func sortedKeys[V any](set map[string]V) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
