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

// Authenticate finds out who calls. Wrong credentials are a 401, no credentials are nobody.
func (ts *Tokens) Authenticate(r *http.Request) (caller, error) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if scheme == "" {
		return caller{}, nil
	}
	if !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "token") {
		return caller{}, refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if g, ok := ts.byText[secret]; ok {
		return ts.tokenCaller(g)
	}
	if strings.Count(secret, ".") == 2 && !strings.HasPrefix(secret, "ghs_") {
		return ts.jwtCaller(secret)
	}
	return caller{}, refuse(http.StatusUnauthorized, "Bad credentials")
}

func (ts *Tokens) tokenCaller(g *grant) (caller, error) {
	if !g.expires.IsZero() && !ts.clock().Before(g.expires) {
		return caller{}, refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if g.kind == asUser {
		return caller{kind: asUser, account: g.account, grant: g}, nil
	}
	if !ts.hub.Apps.Installed(g.install) {
		return caller{}, refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if !g.install.suspended.IsZero() {
		return caller{}, refuse(http.StatusForbidden, "This installation has been suspended")
	}
	return caller{kind: asInstallation, account: ts.hub.Apps.Own.bot, app: ts.hub.Apps.Own, grant: g}, nil
}

// jwtCaller checks an App's JWT as GitHub documents it: RS256, iss the App, exp at most ten minutes ahead, iat in the past.
func (ts *Tokens) jwtCaller(token string) (caller, error) {
	claims := jwt.MapClaims{}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation())
	_, err := parser.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return &ts.key.PublicKey, nil })
	if err != nil {
		return caller{}, refuse(http.StatusUnauthorized, "A JSON web token could not be decoded")
	}
	now := ts.clock()
	exp, hasExp := claims["exp"].(float64)
	iat, hasIat := claims["iat"].(float64)
	switch {
	case !ts.hub.Apps.Own.issued(claims["iss"]):
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
	return caller{kind: asApp, account: ts.hub.Apps.Own.bot, app: ts.hub.Apps.Own}, nil
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

// authorize checks that a caller may use a route with a repository: it answers 404 for what the caller may not know of and 403 for
// what it may see but not do.
func authorize(who caller, r *repository, needs []need) error {
	switch who.kind {
	case asApp:
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	case asInstallation:
		return authorizeInstallation(who.grant, r, needs)
	case asUser:
		return authorizeUser(who.account, r, needs)
	}
	if r.private {
		return notFound()
	}
	if writes(needs) {
		return refuse(http.StatusUnauthorized, "Requires authentication")
	}
	return nil
}

func authorizeInstallation(g *grant, r *repository, needs []need) error {
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

func authorizeUser(a *account, r *repository, needs []need) error {
	level := r.level(a)
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
