// Package access implements the tokens, permissions and limits of callers.
package access

import "waybill/internal/githubsim/hub"

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// Tokens authenticates callers: it mints tokens, and checks them and the JWTs of the App.
type Tokens struct {
	hub    *hub.Hub
	clock  func() time.Time // checks the expiry of tokens and JWTs
	key    *rsa.PrivateKey
	seed   int64
	long   bool // mints the form that contains a JWT
	byText map[string]*hub.Grant
}

// TokenSetup configures how tokens are minted and checked.
type TokenSetup struct {
	Clock func() time.Time
	Key   *rsa.PrivateKey // of the App under test
	Seed  int64
	Long  bool // the form ghs_<app>_<jwt>, instead of 40 characters
}

// NewTokens returns Tokens without any token.
func NewTokens(h *hub.Hub, s TokenSetup) *Tokens {
	return &Tokens{hub: h, clock: s.Clock, key: s.Key, seed: s.Seed, long: s.Long, byText: map[string]*hub.Grant{}}
}

// Mint creates an installation token. Nil repositories mean all that the installation can access.
func (ts *Tokens) Mint(install *hub.Installation, permissions map[string]string,
	repos map[int64]bool) (*hub.Grant, error) {
	g := &hub.Grant{
		Kind: hub.AsInstallation, Install: install, Permissions: permissions, Repos: repos,
		Expires: ts.clock().Add(tokenLife).Truncate(time.Second),
	}
	id := ts.hub.Clock.NextID()
	if !ts.long {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d", ts.seed, id))
		g.Token = "ghs_" + hex.EncodeToString(sum[:])[:36]
	} else {
		claims := jwt.MapClaims{"jti": id, "exp": g.Expires.Unix(), "sub": g.Install.ID}
		signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("githubsim"))
		if err != nil {
			return nil, fmt.Errorf("sign installation token: %w", err)
		}
		g.Token = "ghs_" + strconv.FormatInt(ts.hub.Apps.Own.ID, 10) + "_" + signed
	}
	ts.byText[g.Token] = g
	return g, nil
}

// MintUser creates a user-to-server token.
func (ts *Tokens) MintUser(a *hub.Account) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "user/%d/%d", ts.seed, ts.hub.Clock.NextID()))
	g := &hub.Grant{Kind: hub.AsUser, Account: a, Token: "ghu_" + hex.EncodeToString(sum[:])[:36]}
	ts.byText[g.Token] = g
	return g.Token
}

// Revoke revokes a token.
func (ts *Tokens) Revoke(g *hub.Grant) { delete(ts.byText, g.Token) }
