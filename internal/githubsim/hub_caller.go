package githubsim

import "time"

// The ways to be somebody.
const (
	asNobody       = ""
	asApp          = "app"          // a JWT signed with the App's key
	asInstallation = "installation" // an installation token
	asUser         = "user"         // a user-to-server token
)

// caller is who makes a request.
type caller struct {
	kind    string
	account *account
	app     *app // the App that acts, for installation tokens
	grant   *grant
}

// grant is what a token allows.
type grant struct {
	token       string
	kind        string
	account     *account
	install     *installation
	permissions map[string]string
	repos       map[int64]bool // nil: all that the installation reaches
	expires     time.Time      // zero: never
}

// covers reports whether a token reaches a repository.
func (g *grant) covers(r *repository) bool {
	return g.install.covers(r) && (g.repos == nil || g.repos[r.id])
}
