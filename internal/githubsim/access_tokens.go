package githubsim

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// Tokens knows who calls: it mints tokens, and checks them and the JWTs of the App.
type Tokens struct {
	hub    *Hub
	clock  func() time.Time // by which tokens and JWTs are judged
	key    *rsa.PrivateKey
	seed   int64
	long   bool // mints the form that carries a JWT
	byText map[string]*grant
}

// TokenSetup says how tokens are minted and checked.
type TokenSetup struct {
	Clock func() time.Time
	Key   *rsa.PrivateKey // of the App under test
	Seed  int64
	Long  bool // the form ghs_<app>_<jwt>, instead of 40 characters
}

// NewTokens knows no token yet.
func NewTokens(hub *Hub, s TokenSetup) *Tokens {
	return &Tokens{hub: hub, clock: s.Clock, key: s.Key, seed: s.Seed, long: s.Long, byText: map[string]*grant{}}
}

// Mint makes an installation token. Nil repositories are all that the installation reaches.
func (ts *Tokens) Mint(install *installation, permissions map[string]string, repos map[int64]bool) (*grant, error) {
	g := &grant{kind: asInstallation, install: install, permissions: permissions, repos: repos, expires: ts.clock().Add(tokenLife).Truncate(time.Second)}
	id := ts.hub.Clock.NextID()
	if !ts.long {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d", ts.seed, id))
		g.token = "ghs_" + hex.EncodeToString(sum[:])[:36]
	} else {
		claims := jwt.MapClaims{"jti": id, "exp": g.expires.Unix(), "sub": g.install.id}
		signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("githubsim"))
		if err != nil {
			return nil, fmt.Errorf("sign installation token: %w", err)
		}
		g.token = "ghs_" + strconv.FormatInt(ts.hub.Apps.Own.id, 10) + "_" + signed
	}
	ts.byText[g.token] = g
	return g, nil
}

// MintUser makes a user-to-server token.
func (ts *Tokens) MintUser(a *account) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "user/%d/%d", ts.seed, ts.hub.Clock.NextID()))
	g := &grant{kind: asUser, account: a, token: "ghu_" + hex.EncodeToString(sum[:])[:36]}
	ts.byText[g.token] = g
	return g.token
}

// Revoke lets a token die.
func (ts *Tokens) Revoke(g *grant) { delete(ts.byText, g.token) }
