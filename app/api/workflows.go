package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"waybill/promotion"
)

// Workflows knows runs of workflows by the tokens with which GitHub Actions vouches for them. The issuer is asked for
// its keys when the first token comes, and again when one is signed by another key.
type Workflows struct {
	issuer, audience string
	clock            func() time.Time
	wire             *issuerWire

	mu       sync.Mutex
	verifier *oidc.IDTokenVerifier // nil until the issuer has answered for the first time
}

// NewWorkflows makes one for the tokens of an issuer that are meant for an audience. Nothing is asked yet.
func NewWorkflows(issuer, audience string, clock func() time.Time) (*Workflows, error) {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil, fmt.Errorf("prepare for tokens of workflows: %w", err)
	}
	wire := &issuerWire{issuer: u, clock: clock, asked: map[string]time.Time{}}
	return &Workflows{issuer: issuer, audience: audience, clock: clock, wire: wire}, nil
}

// errIssuer means that the issuer could not be asked for its keys.
var errIssuer = errors.New("the issuer of tokens for workflows does not answer")

// isToken reports whether a secret has the form of such a token. Those of our own have no dots.
func isToken(secret string) bool { return strings.Count(secret, ".") == 2 }

// claims are the claims of a token about a run.
type claims struct {
	Repository  promotion.Repo  `json:"repository"`
	RepoID      int64           `json:"repository_id,string"`
	Event       string          `json:"event_name"`
	Ref         string          `json:"ref"`
	WorkflowRef string          `json:"workflow_ref"` // acme/api/.github/workflows/build.yml@refs/heads/main
	Environment string          `json:"environment"`
	RunID       string          `json:"run_id"`
	Actor       promotion.Login `json:"actor"`
	ActorID     int64           `json:"actor_id,string"`
}

// run returns the run that a token is of. The error is errIssuer, or names the mistake in the token.
func (w *Workflows) run(ctx context.Context, token string) (*promotion.Run, error) {
	verifier, err := w.verify(ctx)
	if err != nil {
		return nil, err
	}
	failures := w.wire.failed()
	verified, err := verifier.Verify(ctx, token)
	if err != nil && w.wire.failed() > failures {
		return nil, fmt.Errorf("%w: %w", errIssuer, err)
	}
	if err != nil {
		return nil, err
	}
	var c claims
	if err := verified.Claims(&c); err != nil {
		return nil, err
	}
	file, _, _ := strings.Cut(c.WorkflowRef, "@refs/") // the name of a file may have @ in it, and no slash
	run := &promotion.Run{
		Repo: c.Repository, RepoID: c.RepoID, Event: c.Event, Ref: c.Ref, Workflow: path.Base(file),
		Environment: c.Environment, ID: c.RunID,
		Actor: c.Actor, ActorID: c.ActorID,
	}
	if run.Repo == "" || run.Ref == "" || run.Event == "" {
		return nil, errors.New("it does not say which workflow it is of")
	}
	return run, nil
}

// verify returns the verifier of tokens, once the issuer has said where its keys are.
func (w *Workflows) verify(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.verifier != nil {
		return w.verifier, nil
	}
	client := &http.Client{Transport: w.wire, Timeout: issuerTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, client), w.issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errIssuer, err)
	}
	w.verifier = provider.Verifier(&oidc.Config{
		ClientID: w.audience, Now: w.clock, SupportedSigningAlgs: []string{oidc.RS256},
	})
	return w.verifier, nil
}

const (
	// issuerTimeout is how long the issuer may take to answer.
	issuerTimeout = 10 * time.Second
	// issuerPace is the time between two requests for the same: anyone can send a token that is signed by an unknown key.
	issuerPace = 10 * time.Second
	// maxKeys bounds the answer of the issuer.
	maxKeys = 1 << 20
)

// issuerWire carries requests to the issuer and to no one else, seldom, and counts those that fail.
type issuerWire struct {
	issuer *url.URL
	clock  func() time.Time

	mu       sync.Mutex
	asked    map[string]time.Time // when, by path
	failures int
}

// RoundTrip implements http.RoundTripper.
func (w *issuerWire) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := w.allow(r.URL); err != nil {
		return nil, w.fail(err)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, w.fail(err)
	}
	if response.StatusCode != http.StatusOK {
		_ = w.fail(nil)
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(response.Body, maxKeys), response.Body}
	return response, nil
}

// allow refuses other hosts than the issuer's, and requests that were made a moment ago.
func (w *issuerWire) allow(u *url.URL) error {
	if u.Scheme != w.issuer.Scheme || u.Host != w.issuer.Host {
		return fmt.Errorf("its keys would be at %s://%s, which is another host", u.Scheme, u.Host)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock()
	if last, asked := w.asked[u.Path]; asked && now.Sub(last) < issuerPace {
		return errors.New("it was asked a moment ago")
	}
	w.asked[u.Path] = now
	return nil
}

func (w *issuerWire) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures++
	return err
}

func (w *issuerWire) failed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failures
}
