package signin

import "waybill/internal/githubsim/hooks"

import "waybill/internal/githubsim/hub"

import (
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// IssuerPath is the path of the issuer of workflow tokens on GitHub Enterprise Server.
const IssuerPath = "/_services/token"

// Issuer issues OpenID Connect tokens for runs of workflows.
type Issuer struct {
	hub  *hub.Hub
	url  string // address of GitHub's pages
	seed int64

	mu   sync.Mutex
	key  *rsa.PrivateKey // nil until the first token
	keys int             // number of keys so far
	down bool
	read int
}

// WorkflowRun is the workflow run of a token. The default values are those of a push to main.
type WorkflowRun struct {
	Repo        string
	Audience    string
	Issuer      string // the simulator's own
	Event       string
	Ref         string
	Workflow    string // the name of its file
	Environment string
	Expires     time.Time // five minutes after now
	Algorithm   string    // RS256; "none" has no signature
}

// NewIssuer returns an issuer that generates its first key for the first token. The seed makes the tokens of two
// issuers differ.
func NewIssuer(hub *hub.Hub, url string, seed int64) *Issuer {
	return &Issuer{hub: hub, url: url, seed: seed}
}

// Token returns the token of a job with `id-token: write`.
func (i *Issuer) Token(run WorkflowRun) (string, error) {
	i.hub.Lock()
	r, found := i.hub.Repos.Find(run.Repo)
	now := i.hub.Clock.Exact()
	i.hub.Unlock()
	if !found {
		return "", fmt.Errorf("no repository %s", run.Repo)
	}
	ref := cmp.Or(run.Ref, "refs/heads/main")
	if run.Expires.IsZero() {
		run.Expires = now.Add(5 * time.Minute)
	}
	subject := "repo:" + r.FullName() + ":ref:" + ref
	if run.Environment != "" {
		subject = "repo:" + r.FullName() + ":environment:" + run.Environment
	}
	workflow := r.FullName() + "/.github/workflows/" + cmp.Or(run.Workflow, "build.yml") + "@" + ref
	claims := jwt.MapClaims{
		"iss": cmp.Or(run.Issuer, i.url+IssuerPath), "aud": run.Audience, "sub": subject,
		"jti": hooks.GUID(i.seed, now.UnixNano()),
		"iat": now.Unix(), "nbf": now.Unix(), "exp": run.Expires.Unix(),
		"repository": r.FullName(), "repository_id": strconv.FormatInt(r.ID, 10), "repository_owner": r.Owner.Login,
		"actor": "ann", "actor_id": strconv.FormatInt(i.starter(), 10),
		"ref": ref, "event_name": cmp.Or(run.Event, "push"), "workflow": "build", "workflow_ref": workflow,
		"job_workflow_ref": workflow,
		"run_id":           "4711", "run_number": "7", "run_attempt": "1", "runner_environment": "github-hosted",
	}
	if run.Environment != "" {
		claims["environment"] = run.Environment
	}
	if run.Algorithm == "none" {
		return jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
	}
	return i.sign(claims)
}

// starter returns the id of ann, who starts all runs; 0 if there is no such account.
func (i *Issuer) starter() int64 {
	if ann, found := i.hub.Accounts.Find("ann"); found {
		return ann.ID
	}
	return 0
}

func (i *Issuer) sign(claims jwt.MapClaims) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.key == nil {
		if err := i.renew(); err != nil {
			return "", err
		}
	}
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = strconv.Itoa(i.keys)
	return token.SignedString(i.key)
}

// renew generates another key. The lock is held.
func (i *Issuer) renew() (err error) {
	i.key, err = rsa.GenerateKey(rand.Reader, 2048)
	i.keys++
	return err
}

// Rotate replaces the issuer's key.
func (i *Issuer) Rotate() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.renew()
}

// Stop makes the issuer answer every request with 503, or ends that.
func (i *Issuer) Stop(stop bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.down = stop
}

// KeysRead returns the number of requests for the issuer's keys.
func (i *Issuer) KeysRead() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.read
}

// ServeHTTP serves the configuration of the issuer and its keys.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	self := i.url + IssuerPath
	var answer any
	switch what := strings.TrimPrefix(r.URL.Path, IssuerPath); {
	case i.down:
		http.Error(w, "unavailable", http.StatusServiceUnavailable)
		return
	case what == "/.well-known/openid-configuration":
		answer = map[string]any{
			"issuer": self, "jwks_uri": self + "/.well-known/jwks", "subject_types_supported": []string{"public", "pairwise"},
			"response_types_supported": []string{"id_token"}, "id_token_signing_alg_values_supported": []string{"RS256"},
			"scopes_supported": []string{"openid"},
		}
	case what == "/.well-known/jwks":
		i.read++
		answer = map[string]any{"keys": i.public()}
	default:
		http.NotFound(w, r)
		return
	}
	body, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(body)
}

// public returns the key as a list of one JSON Web Key. The lock is held.
func (i *Issuer) public() []any {
	if i.key == nil {
		return []any{}
	}
	number := base64.RawURLEncoding.EncodeToString
	return []any{map[string]any{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": strconv.Itoa(i.keys),
		"n": number(i.key.N.Bytes()), "e": number(big.NewInt(int64(i.key.E)).Bytes()),
	}}
}
