package access

import "waybill/internal/githubsim/hub"

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
)

// Code is the use of a one-time code.
type Code struct {
	Account   *hub.Account // who has signed in; nil: a manifest
	Challenge string       // the hash of the verifier that the App must send; empty: none
}

// Codes are the one-time codes of sign-ins and manifests, until they are spent.
type Codes struct {
	clock  *hub.Clock
	byName map[string]Code
}

// NewCodes has handed out no code yet.
func NewCodes(clock *hub.Clock) *Codes { return &Codes{clock: clock, byName: map[string]Code{}} }

// New hands out a one-time code.
func (cs *Codes) New(c Code) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "code/%d", cs.clock.NextID()))
	name := hex.EncodeToString(sum[:])[:20]
	cs.byName[name] = c
	return name
}

// Spend takes a one-time code out of circulation; false when it was never handed out or is spent.
func (cs *Codes) Spend(name string) (Code, bool) {
	c, known := cs.byName[name]
	delete(cs.byName, name)
	return c, known
}

// Opens reports whether a verifier is that of the code's challenge (RFC 7636, S256).
func (c Code) Opens(verifier string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return c.Challenge == "" || c.Challenge == base64.RawURLEncoding.EncodeToString(sum[:])
}
