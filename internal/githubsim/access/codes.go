package access

import "waybill/internal/githubsim/hub"

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"
)

// Code is the purpose of a one-time code: a sign-in or a manifest.
type Code struct {
	Account   *hub.Account // the account that has signed in; nil: a manifest
	Challenge string       // the hash of the verifier that the App must send; empty: none
	made      time.Time
}

// codeLife is how long a code of the manifest flow is good. GitHub does not say it of sign-ins, whose codes are used at
// once.
const codeLife = time.Hour

// Codes holds the one-time codes of sign-ins and manifests until they are used.
type Codes struct {
	clock  *hub.Clock
	byName map[string]Code
}

// NewCodes returns Codes without any code.
func NewCodes(clock *hub.Clock) *Codes { return &Codes{clock: clock, byName: map[string]Code{}} }

// New creates a one-time code.
func (cs *Codes) New(c Code) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "code/%d", cs.clock.NextID()))
	name := hex.EncodeToString(sum[:])[:20]
	c.made = cs.clock.Exact()
	cs.byName[name] = c
	return name
}

// Spend uses up a one-time code. It returns false if the code was never created, is used already, or
// is too old.
func (cs *Codes) Spend(name string) (Code, bool) {
	c, known := cs.byName[name]
	delete(cs.byName, name)
	return c, known && cs.clock.Exact().Sub(c.made) < codeLife
}

// Opens reports whether a verifier matches the code's challenge (RFC 7636, S256).
func (c Code) Opens(verifier string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return c.Challenge == "" || c.Challenge == base64.RawURLEncoding.EncodeToString(sum[:])
}
