package githubsim

import (
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// tokenLife is how long an installation token lives.
const tokenLife = time.Hour

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

func (w *world) grant(token string) (*grant, bool) {
	g, found := w.grants[token]
	return g, found
}

// authenticate finds out who calls. Wrong credentials are a 401, no credentials are nobody.
func (s *Server) authenticate(r *http.Request) (caller, error) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if scheme == "" {
		return caller{}, nil
	}
	if !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "token") {
		return caller{}, refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if g, ok := s.world.grant(secret); ok {
		return s.tokenCaller(g)
	}
	if strings.Count(secret, ".") == 2 && !strings.HasPrefix(secret, "ghs_") {
		return s.jwtCaller(secret)
	}
	return caller{}, refuse(http.StatusUnauthorized, "Bad credentials")
}

func (s *Server) tokenCaller(g *grant) (caller, error) {
	if !g.expires.IsZero() && !s.options.AuthClock().Before(g.expires) {
		return caller{}, refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if g.kind == asUser {
		return caller{kind: asUser, account: g.account, grant: g}, nil
	}
	if !s.world.installed(g.install) {
		return caller{}, refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if !g.install.suspended.IsZero() {
		return caller{}, refuse(http.StatusForbidden, "This installation has been suspended")
	}
	return caller{kind: asInstallation, account: s.world.app.bot, app: s.world.app, grant: g}, nil
}

// jwtCaller checks an App's JWT as GitHub documents it: RS256, iss the App, exp at most ten minutes ahead, iat in the past.
func (s *Server) jwtCaller(token string) (caller, error) {
	claims := jwt.MapClaims{}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation())
	_, err := parser.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return &s.options.App.PrivateKey.PublicKey, nil })
	if err != nil {
		return caller{}, refuse(http.StatusUnauthorized, "A JSON web token could not be decoded")
	}
	now := s.options.AuthClock()
	exp, hasExp := claims["exp"].(float64)
	iat, hasIat := claims["iat"].(float64)
	switch {
	case !s.world.app.issued(claims["iss"]):
		return caller{}, refuse(http.StatusNotFound, "Integration not found")
	case !hasExp:
		return caller{}, refuse(http.StatusUnauthorized, "Missing 'expiration time' ('exp') claim")
	case now.After(unixSeconds(exp)):
		return caller{}, refuse(http.StatusUnauthorized, "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
	case unixSeconds(exp).After(now.Add(10*time.Minute + 30*time.Second)): // half a minute for drifting clocks
		return caller{}, refuse(http.StatusUnauthorized, "'Expiration time' claim ('exp') is too far in the future")
	case !hasIat, unixSeconds(iat).After(now.Add(30 * time.Second)):
		return caller{}, refuse(http.StatusUnauthorized, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	}
	return caller{kind: asApp, account: s.world.app.bot, app: s.world.app}, nil
}

// issued reports whether an iss claim names the App: by its id, as text or number, or by its client id.
func (a *app) issued(iss any) bool {
	switch by := iss.(type) {
	case string:
		return by == itoa(a.id) || by == a.clientID()
	case float64:
		return int64(by) == a.id
	}
	return false
}

func unixSeconds(claim float64) time.Time { return time.Unix(int64(claim), 0) }

func (w *world) installed(i *installation) bool {
	for _, one := range w.installs {
		if one == i {
			return true
		}
	}
	return false
}

// authorize checks that a caller may use a route with a repository: it answers 404 for what the caller may not know of and 403 for
// what it may see but not do.
func (w *world) authorize(who caller, r *repository, needs []need) error {
	switch who.kind {
	case asApp:
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	case asInstallation:
		return w.authorizeInstallation(who.grant, r, needs)
	case asUser:
		return w.authorizeUser(who.account, r, needs)
	}
	if r.private {
		return notFound()
	}
	if writes(needs) {
		return refuse(http.StatusUnauthorized, "Requires authentication")
	}
	return nil
}

func (w *world) authorizeInstallation(g *grant, r *repository, needs []need) error {
	if !g.covers(r) {
		if r.private {
			return notFound()
		}
		if writes(needs) {
			return refuse(http.StatusForbidden, "Resource not accessible by integration")
		}
		return nil
	}
	if !allowed(g.permissions, needs) {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	if r.archived && writes(needs) {
		return refuse(http.StatusForbidden, "Repository was archived so is read-only.")
	}
	return nil
}

func (w *world) authorizeUser(a *account, r *repository, needs []need) error {
	level := w.level(r, a)
	if level == "none" {
		return notFound()
	}
	if writes(needs) && levelRank(level) < levelRank("write") {
		return refuse(http.StatusForbidden, "Must have push access to repository")
	}
	return nil
}

// need is one permission that opens a route; of several, any one does.
type need struct{ name, level string }

// needs reads "contents:write|pull_requests:write".
func needs(text string) []need {
	var all []need
	for _, one := range strings.Split(text, "|") {
		name, level, _ := strings.Cut(one, ":")
		all = append(all, need{name, level})
	}
	return all
}

func allowed(permissions map[string]string, needs []need) bool {
	for _, n := range needs {
		if n.name == "metadata" || may(permissions, n.name, n.level) {
			return true
		}
	}
	return false
}

func writes(needs []need) bool {
	for _, n := range needs {
		if n.level == "write" {
			return true
		}
	}
	return false
}
