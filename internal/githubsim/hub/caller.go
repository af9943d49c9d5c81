package hub

import "time"

// The kinds of callers.
const (
	AsNobody       = ""
	AsApp          = "app"          // a JWT signed with the App's key
	AsInstallation = "installation" // an installation token
	AsUser         = "user"         // a user-to-server token
)

// Caller is the sender of a request.
type Caller struct {
	Kind    string
	Account *Account
	App     *App // the App that acts, for installation tokens
	Grant   *Grant
}

// Grant is a token and its permissions.
type Grant struct {
	Token       string
	Kind        string
	Account     *Account
	Install     *Installation
	Permissions map[string]string
	Repos       map[int64]bool // nil: every repository of the installation
	Expires     time.Time      // zero: never
}

// Covers reports whether a token can access a repository.
func (g *Grant) Covers(r *Repository) bool {
	return g.Install.covers(r) && (g.Repos == nil || g.Repos[r.ID])
}

// Key identifies the callers whose requests are counted together.
func (who Caller) Key() int64 {
	switch {
	case who.Grant != nil && who.Grant.Install != nil:
		return who.Grant.Install.ID
	case who.Account != nil:
		return who.Account.ID
	}
	return 0
}
