package githubsim

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// issuerPath is where GitHub Enterprise Server has the issuer of the tokens of workflows.
const issuerPath = "/_services/token"

// issuer vouches for runs of workflows with tokens of OpenID Connect.
type issuer struct {
	mu   sync.Mutex
	key  *rsa.PrivateKey // nil until the first token is wanted
	keys int             // how many there have been
	down bool
	read int
}

// WorkflowRun is what a token says of the run that asked for it. Empty fields get what a push to main has.
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

// WorkflowToken is the token that a job with `id-token: write` gets.
func (s *Server) WorkflowToken(run WorkflowRun) (string, error) {
	s.mu.Lock()
	r, found := s.world.repo(run.Repo)
	now := s.world.clock().UTC()
	s.mu.Unlock()
	if !found {
		return "", fmt.Errorf("no repository %s", run.Repo)
	}
	ref := orElse(run.Ref, "refs/heads/main")
	if run.Expires.IsZero() {
		run.Expires = now.Add(5 * time.Minute)
	}
	subject := "repo:" + r.fullName() + ":ref:" + ref
	if run.Environment != "" {
		subject = "repo:" + r.fullName() + ":environment:" + run.Environment
	}
	workflow := r.fullName() + "/.github/workflows/" + orElse(run.Workflow, "build.yml") + "@" + ref
	claims := jwt.MapClaims{
		"iss": orElse(run.Issuer, s.URL()+issuerPath), "aud": run.Audience, "sub": subject, "jti": guid(s.options.Seed, now.UnixNano()),
		"iat": now.Unix(), "nbf": now.Unix(), "exp": run.Expires.Unix(),
		"repository": r.fullName(), "repository_id": strconv.FormatInt(r.id, 10), "repository_owner": r.owner.login, "actor": "ann",
		"ref": ref, "event_name": orElse(run.Event, "push"), "workflow": "build", "workflow_ref": workflow, "job_workflow_ref": workflow,
		"run_id": "4711", "run_number": "7", "run_attempt": "1", "runner_environment": "github-hosted",
	}
	if run.Environment != "" {
		claims["environment"] = run.Environment
	}
	if run.Algorithm == "none" {
		return jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
	}
	return s.issuer.sign(claims)
}

func (i *issuer) sign(claims jwt.MapClaims) (string, error) {
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

// renew makes another key. The lock is held.
func (i *issuer) renew() (err error) {
	i.key, err = rsa.GenerateKey(rand.Reader, 2048)
	i.keys++
	return err
}

// RotateWorkflowKey has the issuer sign with another key from now on; the one before is gone.
func (s *Server) RotateWorkflowKey() error {
	s.issuer.mu.Lock()
	defer s.issuer.mu.Unlock()
	return s.issuer.renew()
}

// StopIssuer has the issuer answer nothing but 503, or ends that.
func (s *Server) StopIssuer(stop bool) {
	s.issuer.mu.Lock()
	defer s.issuer.mu.Unlock()
	s.issuer.down = stop
}

// KeysRead counts how often the issuer's keys were asked for.
func (s *Server) KeysRead() int {
	s.issuer.mu.Lock()
	defer s.issuer.mu.Unlock()
	return s.issuer.read
}

// serveIssuer answers what the issuer is and which keys it signs with.
func (s *Server) serveIssuer(w http.ResponseWriter, r *http.Request) {
	i := &s.issuer
	i.mu.Lock()
	defer i.mu.Unlock()
	self := s.URL() + issuerPath
	var answer any
	switch what := strings.TrimPrefix(r.URL.Path, issuerPath); {
	case i.down:
		http.Error(w, "unavailable", http.StatusServiceUnavailable)
		return
	case what == "/.well-known/openid-configuration":
		answer = obj{
			"issuer": self, "jwks_uri": self + "/.well-known/jwks", "subject_types_supported": []string{"public", "pairwise"},
			"response_types_supported": []string{"id_token"}, "id_token_signing_alg_values_supported": []string{"RS256"}, "scopes_supported": []string{"openid"},
		}
	case what == "/.well-known/jwks":
		i.read++
		answer = obj{"keys": i.public()}
	default:
		http.NotFound(w, r)
		return
	}
	body, err := encode(reply{body: answer})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(body)
}

// public lists the key as a JSON Web Key. The lock is held.
func (i *issuer) public() []any {
	if i.key == nil {
		return []any{}
	}
	number := base64.RawURLEncoding.EncodeToString
	return []any{obj{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": strconv.Itoa(i.keys),
		"n": number(i.key.N.Bytes()), "e": number(big.NewInt(int64(i.key.E)).Bytes()),
	}}
}
