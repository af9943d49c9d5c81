package githubsim

import (
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// tokenLife is how long an installation token lives.
const tokenLife = time.Hour

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

func unixSeconds(claim float64) time.Time { return time.Unix(int64(claim), 0) }
