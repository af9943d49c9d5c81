package access

import "waybill/internal/githubsim/hub"

import (
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// tokenLife is the lifetime of an installation token.
const tokenLife = time.Hour

// Authenticate finds the caller of a request. Wrong credentials are a 401; without any the caller is anonymous.
func (ts *Tokens) Authenticate(r *http.Request) (hub.Caller, error) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if scheme == "" {
		return hub.Caller{}, nil
	}
	if !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "token") {
		return hub.Caller{}, hub.Refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if g, ok := ts.byText[secret]; ok {
		return ts.tokenCaller(g)
	}
	if strings.Count(secret, ".") == 2 && !strings.HasPrefix(secret, "ghs_") {
		return ts.jwtCaller(secret)
	}
	return hub.Caller{}, hub.Refuse(http.StatusUnauthorized, "Bad credentials")
}

func (ts *Tokens) tokenCaller(g *hub.Grant) (hub.Caller, error) {
	if !g.Expires.IsZero() && !ts.clock().Before(g.Expires) {
		return hub.Caller{}, hub.Refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if g.Kind == hub.AsUser {
		return hub.Caller{Kind: hub.AsUser, Account: g.Account, Grant: g}, nil
	}
	if !ts.hub.Apps.Installed(g.Install) {
		return hub.Caller{}, hub.Refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if !g.Install.Suspended.IsZero() {
		return hub.Caller{}, hub.Refuse(http.StatusForbidden, "This installation has been suspended")
	}
	return hub.Caller{Kind: hub.AsInstallation, Account: ts.hub.Apps.Own.Bot, App: ts.hub.Apps.Own, Grant: g}, nil
}

// jwtCaller checks an App's JWT as GitHub documents it: RS256, iss the App, exp at most ten minutes ahead, iat in the
// past.
func (ts *Tokens) jwtCaller(token string) (hub.Caller, error) {
	claims := jwt.MapClaims{}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation())
	_, err := parser.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return &ts.key.PublicKey, nil })
	if err != nil {
		return hub.Caller{}, hub.Refuse(http.StatusUnauthorized, "A JSON web token could not be decoded")
	}
	now := ts.clock()
	exp, hasExp := claims["exp"].(float64)
	iat, hasIat := claims["iat"].(float64)
	switch {
	case !ts.hub.Apps.Own.Issued(claims["iss"]):
		return hub.Caller{}, hub.Refuse(http.StatusNotFound, "Integration not found")
	case !hasExp:
		return hub.Caller{}, hub.Refuse(http.StatusUnauthorized, "Missing 'expiration time' ('exp') claim")
	case now.After(unixSeconds(exp)):
		return hub.Caller{}, hub.Refuse(http.StatusUnauthorized,
			"'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion "+
				"expires")
	case unixSeconds(exp).After(now.Add(10*time.Minute + 30*time.Second)): // half a minute for drifting clocks
		return hub.Caller{}, hub.Refuse(http.StatusUnauthorized, "'Expiration time' claim ('exp') is too far in the future")
	case !hasIat, unixSeconds(iat).After(now.Add(30 * time.Second)):
		return hub.Caller{}, hub.Refuse(http.StatusUnauthorized,
			"'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	}
	return hub.Caller{Kind: hub.AsApp, Account: ts.hub.Apps.Own.Bot, App: ts.hub.Apps.Own}, nil
}

func unixSeconds(claim float64) time.Time { return time.Unix(int64(claim), 0) }
