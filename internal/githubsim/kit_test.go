package githubsim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/require"
)

// kit is a server with a repository acme/app, the App installed on it, a clock that only tests move, and a receiver of
// webhooks.
type kit struct {
	*testing.T
	*Server
	repo    string
	install int64
	client  *github.Client
	clock   *clock
	hooks   *receiver
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// receiver is the App's webhook endpoint.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []hook
	status int
}

type hook struct {
	event, action, guid string
	header              http.Header
	body                []byte
	payload             map[string]any
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	h := hook{
		event: request.Header.Get("X-GitHub-Event"), guid: request.Header.Get("X-GitHub-Delivery"), header: request.Header,
		body: body,
	}
	_ = json.Unmarshal(body, &h.payload)
	h.action, _ = h.payload["action"].(string)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, h)
	if r.status != 0 {
		w.WriteHeader(r.status)
	}
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// take returns the webhooks since the last call, as "event action".
func (r *receiver) take() []string {
	var names []string
	for _, h := range r.takeAll() {
		name := h.event
		if h.action != "" {
			name += " " + h.action
		}
		names = append(names, name)
	}
	return names
}

func (r *receiver) takeAll() []hook {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

func newKit(t *testing.T, change ...func(*Options)) *kit {
	t.Helper()
	k := &kit{T: t, repo: "acme/app", clock: &clock{now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}, hooks: &receiver{}}
	k.hooks.Server = httptest.NewServer(k.hooks)
	t.Cleanup(k.hooks.Close)
	options := Options{
		Clock: k.clock.Now, WebhookURL: k.hooks.URL, Report: func(err error) { t.Errorf("violation: %v", err) },
	}
	for _, one := range change {
		one(&options)
	}
	server, err := Start(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	k.Server = server
	require.NoError(t, server.CreateOrg("acme"))
	require.NoError(t, server.CreateUser("ann", "acme"))
	require.NoError(t, server.CreateUser("bob", "acme"))
	require.NoError(t, server.CreateRepo(k.repo,
		map[string]string{"README.md": "app\n", "deploy/dev.yaml": "tag: v1\n", "src/main.go": "package main\n"}))
	k.install, err = server.InstallApp("acme")
	require.NoError(t, err)
	k.client = k.goGitHub()
	k.settle()
	k.hooks.takeAll()
	return k
}

// settle waits for the webhooks and returns them, as "event action".
func (k *kit) settle() []string {
	k.Helper()
	ctx, cancel := context.WithTimeout(k.Context(), 20*time.Second)
	defer cancel()
	require.NoError(k, k.Settle(ctx))
	return k.hooks.take()
}

// goGitHub returns a client of go-github with ghinstallation, as Waybill uses it.
func (k *kit) goGitHub() *github.Client {
	k.Helper()
	transport, err := ghinstallation.New(http.DefaultTransport, k.AppID(), k.install, []byte(k.PrivateKeyPEM()))
	require.NoError(k, err)
	transport.BaseURL = k.V3URL()
	client, err := github.NewClient(&http.Client{Transport: transport}).WithEnterpriseURLs(k.V3URL(), k.V3URL())
	require.NoError(k, err)
	return client
}

// token mints an installation token; the body narrows it.
func (k *kit) token(body string) string {
	k.Helper()
	status, answer := k.as("app").send("POST", fmt.Sprintf("/app/installations/%d/access_tokens", k.install), body)
	require.Equal(k, http.StatusCreated, status, answer)
	token, _ := answer["token"].(string)
	return token
}

// as returns a plain HTTP client: "app" signs a JWT, "" has no credentials, everything else is a token.
func (k *kit) as(who string) *plain {
	p := &plain{kit: k}
	switch who {
	case "":
	case "app":
		p.header = k.jwt()
	default:
		p.header = "Bearer " + who
	}
	return p
}

type plain struct {
	*kit
	header string
	accept string
	stay   bool // it does not follow redirects
	etag   string
	last   *http.Response
}

// send sends a request and returns status and body; a list is in "items".
func (p *plain) send(method, path, body string) (int, map[string]any) {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), method, p.V3URL()+path, bytes.NewReader([]byte(body)))
	require.NoError(p, err)
	if p.header != "" {
		request.Header.Set("Authorization", p.header)
	}
	request.Header.Set("Accept", "application/vnd.github+json")
	if p.accept != "" {
		request.Header.Set("Accept", p.accept)
	}
	if p.etag != "" {
		request.Header.Set("If-None-Match", p.etag)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	client := http.Client{}
	if p.stay {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	response, err := client.Do(request)
	require.NoError(p, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(p, err)
	p.last = response
	return response.StatusCode, decoded(raw)
}

// try sends a request over a client of its own, and returns the status; 0 if no answer came.
func (p *plain) try(client *http.Client, method, path, body string) int {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), method, p.V3URL()+path, strings.NewReader(body))
	require.NoError(p, err)
	request.Header.Set("Authorization", p.header)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

func decoded(raw []byte) map[string]any {
	var object map[string]any
	if json.Unmarshal(raw, &object) == nil {
		return object
	}
	var items []any
	if json.Unmarshal(raw, &items) == nil {
		return map[string]any{"items": items}
	}
	return map[string]any{"text": string(raw)}
}

// graphql sends a document as the installation.
func (k *kit) graphql(document string, variables map[string]any) map[string]any {
	k.Helper()
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	require.NoError(k, err)
	request, err := http.NewRequestWithContext(k.Context(), "POST", k.V4URL(), bytes.NewReader(body))
	require.NoError(k, err)
	request.Header.Set("Authorization", "Bearer "+k.token(""))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(k, err)
	defer response.Body.Close()
	require.Equal(k, http.StatusOK, response.StatusCode)
	raw, err := io.ReadAll(response.Body)
	require.NoError(k, err)
	return decoded(raw)
}

// dig returns a part of a decoded answer: dig(answer, "data", "repository", "id").
func dig(value any, path ...any) any {
	for _, step := range path {
		switch at := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[at]
		case int:
			items, _ := value.([]any)
			if at >= len(items) {
				return nil
			}
			value = items[at]
		}
	}
	return value
}
