package hub

import (
	"sort"
	"strconv"
	"strings"
	"time"
)

// The kinds of accounts, as in GitHub's field "type".
const (
	KindUser = "User"
	KindOrg  = "Organization"
	KindBot  = "Bot"
)

// Account is a user, an organization or the bot of an App.
type Account struct {
	ID      int64
	Login   string
	Kind    string
	Created time.Time

	// for organizations
	members        map[string]bool // by lower-case login
	basePermission string          // of members on its repositories
	Teams          []*Team
	boss           *Account // the owner, who is admin of everything in it
}

// Team is a team of an organization. The members of a team are members of its parents too.
type Team struct {
	ID      int64
	Slug    string
	Parent  *Team
	Members map[string]bool   // by lower-case login
	Repos   map[string]string // permission by lower-case full name
}

// Team finds a team of an organization by slug.
func (a *Account) Team(slug string) *Team {
	for _, t := range a.Teams {
		if t.Slug == slug {
			return t
		}
	}
	return nil
}

// In reports whether a person is in a team, or in one below it.
func (a *Account) In(t *Team, login string) bool {
	for _, one := range a.Teams {
		for up := one; up != nil && one.Members[login]; up = up.Parent {
			if up == t {
				return true
			}
		}
	}
	return false
}

// Accounts holds the people, organizations and bots.
type Accounts struct {
	clock   *Clock
	byLogin map[string]*Account // in lower case
}

// Find finds an account by its login.
func (as *Accounts) Find(login string) (*Account, bool) {
	a, ok := as.byLogin[strings.ToLower(login)]
	return a, ok
}

// New makes an account; an organization gets an owner.
func (as *Accounts) New(login, kind string) *Account {
	a := &Account{ID: as.clock.NextID(), Login: login, Kind: kind, Created: as.clock.Now()}
	if kind == KindOrg {
		a.members = map[string]bool{}
		a.basePermission = "write"
		a.boss = &Account{ID: as.clock.NextID(), Login: login + "-owner", Kind: KindUser, Created: as.clock.Now()}
		a.members[strings.ToLower(a.boss.Login)] = true
		as.byLogin[strings.ToLower(a.boss.Login)] = a.boss
	}
	as.byLogin[strings.ToLower(login)] = a
	return a
}

// Person returns a user. It creates a missing user as a member of every organization, so that tests can name people
// without creating them.
func (as *Accounts) Person(login string) *Account {
	if a, ok := as.Find(login); ok {
		return a
	}
	a := as.New(login, KindUser)
	for _, org := range as.byLogin {
		if org.Kind == KindOrg {
			org.members[strings.ToLower(login)] = true
		}
	}
	return a
}

// All lists the accounts by login.
func (as *Accounts) All() []*Account {
	var all []*Account
	for _, login := range SortedKeys(as.byLogin) {
		all = append(all, as.byLogin[login])
	}
	return all
}

// rename changes the login of an account, also in its memberships.
func (as *Accounts) rename(who *Account, to string) {
	from := strings.ToLower(who.Login)
	delete(as.byLogin, from)
	who.Login, as.byLogin[strings.ToLower(to)] = to, who
	for _, a := range as.byLogin {
		move(a.members, from, strings.ToLower(to))
		for _, t := range a.Teams {
			move(t.Members, from, strings.ToLower(to))
		}
	}
}

func move[V any](all map[string]V, from, to string) {
	if v, there := all[from]; there {
		delete(all, from)
		all[to] = v
	}
}

// Ruler returns the person who administers an account: an organization's owner, or the user.
func (a *Account) Ruler() *Account {
	if a.boss != nil {
		return a.boss
	}
	return a
}

// Email returns the address that GitHub writes into commits that it makes for an account.
func (a *Account) Email() string { return strconv.FormatInt(a.ID, 10) + "+" + a.Login + noReply }

// noReply is the suffix of the addresses by which GitHub identifies its accounts in commits.
const noReply = "@users.noreply.github.com"

// ByEmail finds the account of an address in a commit.
func (as *Accounts) ByEmail(email string) (*Account, bool) {
	name, isOurs := strings.CutSuffix(email, noReply)
	_, login, _ := strings.Cut(name, "+")
	if !isOurs {
		return nil, false
	}
	return as.Find(login)
}

// WebFlow returns the account of commits that GitHub makes itself.
func (as *Accounts) WebFlow() *Account {
	if a, found := as.Find("web-flow"); found {
		return a
	}
	return as.New("web-flow", KindUser)
}

// SortedKeys lists the keys of a set in order, so that answers are deterministic.
func SortedKeys[V any](set map[string]V) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
