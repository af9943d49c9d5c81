package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"
	lru "github.com/hashicorp/golang-lru/v2"

	"waybill/promotion"
)

// installationState is shared by the clients of one installation: its tokens and the requests that it has left.
type installationState struct {
	id     int64
	gate   *gate
	tokens *gate // shut while GitHub gives no new tokens; requests that have one go on
	slots  *slots
	hub    *Hub

	mu      sync.Mutex
	clients *lru.Cache[string, *Client]
	scopes  *lru.Cache[string, *scoped]
}

// scoped is a client for HTTP whose calls bear tokens of one scope.
type scoped struct {
	http   *http.Client
	bearer *bearer
}

func (h *Hub) newInstallation(id int64) *installationState {
	most := concurrent
	if id == 0 {
		most = concurrentOfApp
	}
	return &installationState{
		id: id, hub: h, gate: newGate(h.config.Clock), tokens: newGate(h.config.Clock),
		slots: newSlots(most), clients: remember[*Client](keptClients), scopes: remember[*scoped](keptClients),
	}
}

// installationOf returns the part that the clients of an installation share.
func (h *Hub) installationOf(id int64) *installationState {
	h.mu.Lock()
	defer h.mu.Unlock()
	i, ok := h.installations[id]
	if !ok {
		i = h.newInstallation(id)
		h.installations[id] = i
	}
	return i
}

// limited puts the limits of the installation in front of a transport, whose requests are a share of all.
func (i *installationState) limited(share string, next http.RoundTripper) http.RoundTripper {
	return &limited{
		gate: i.gate, clock: i.hub.clock, installation: i.id, next: next, slots: i.slots, share: share,
		observe: i.hub.config.Observe, shut: i.hub.config.Changed,
	}
}

// http returns a client for HTTP whose calls bear a token of the installation with this scope and no other. The key
// names the scope, and separates its cache and its share of the slots. The same client is returned every time, with the
// token that it has, unless so many others were asked for since that it was forgotten.
func (i *installationState) http(key string, scope github.InstallationTokenOptions) *http.Client {
	i.mu.Lock()
	defer i.mu.Unlock()
	if s, ok := i.scopes.Get(key); ok {
		return s.http
	}
	b := i.bearing(scope)
	transport := i.hub.answers.revalidating(key, i.limited(key, b))
	over := &http.Client{Transport: transport, Timeout: timeout, CheckRedirect: never}
	i.scopes.Add(key, &scoped{over, b})
	return over
}

// workOn is the key of the scope for work in a repository.
func workOn(installation int64, repo promotion.Repo) string {
	return fmt.Sprintf("%d %s", installation, repo)
}

// Installation returns the client for one repository of one installation. Its token opens that repository and no other,
// and there is none if the installation does not reach it: the claims of a delivery are held against that (T22). The
// same client is returned every time, unless so many others were asked for since that it was forgotten.
func (h *Hub) Installation(id int64, repo promotion.Repo) (*Client, error) {
	_, name, err := split(repo)
	if err != nil {
		return nil, err
	}
	i := h.installationOf(id)
	over := i.http(workOn(id, repo), github.InstallationTokenOptions{
		Repositories: []string{name},
		Permissions:  Needed(),
	})
	i.mu.Lock()
	defer i.mu.Unlock()
	if c, ok := i.clients.Get(string(repo)); ok && c.http == over {
		return c, nil
	}
	c := h.newClient(i, repo, over)
	i.clients.Add(string(repo), c)
	return c, nil
}

// Needed are the permissions for Waybill's work in a repository: it writes branches, pull requests, comments, check
// runs and deployments. Anything else, workflows and administration above all, stays out of reach. The token lacks what
// an account has not granted of these, see granted.
func Needed() *github.InstallationPermissions {
	read, write := "read", "write"
	return &github.InstallationPermissions{
		Metadata: &read, Statuses: &read,
		Contents: &write, PullRequests: &write, Issues: &write, Checks: &write, Deployments: &write,
	}
}

// onlyMetadata is the scope of a token that opens every repository of its installation, and shows only their names.
func onlyMetadata() github.InstallationTokenOptions {
	read := "read"
	return github.InstallationTokenOptions{Permissions: &github.InstallationPermissions{Metadata: &read}}
}

// asApp returns a transport over another one whose calls are signed by the App itself. Each is used by one client:
// ghinstallation changes it when a token is minted.
func (h *Hub) asApp(over http.RoundTripper) *ghinstallation.AppsTransport {
	t := ghinstallation.NewAppsTransportFromPrivateKey(over, h.config.AppID, h.key)
	t.BaseURL = h.v3.String()
	return t
}

// signing keeps the App's signature out of the caller's request: ghinstallation writes it into the request that it is
// given, which a RoundTripper must not do.
type signing struct {
	next http.RoundTripper
}

// RoundTrip has a copy of the request signed.
func (s signing) RoundTrip(request *http.Request) (*http.Response, error) {
	return s.next.RoundTrip(request.Clone(request.Context()))
}

// bearer is the transport that adds the token. A token that GitHub does not take any more, because it was revoked, is
// thrown away, and the next call mints a new one.
type bearer struct {
	scope   github.InstallationTokenOptions
	now     func() time.Time
	fresh   func(scope github.InstallationTokenOptions) *ghinstallation.Transport
	granted func(context.Context, github.InstallationTokenOptions) (github.InstallationTokenOptions, []Grant, error)
	refused func() // hears that GitHub gives no token

	mu        sync.Mutex
	current   *ghinstallation.Transport
	lacks     []Grant              // of scope, that current does not have
	until     time.Time            // when all of the scope is asked for again; zero: current has it
	suspected map[string]time.Time // when GitHub last refused what needs a permission, by its name
}

func (i *installationState) bearing(scope github.InstallationTokenOptions) *bearer {
	return &bearer{
		scope: scope, granted: i.granted, refused: func() { i.hub.doubt(i.id) }, now: i.hub.config.Clock,
		suspected: map[string]time.Time{},
		fresh: func(scope github.InstallationTokenOptions) *ghinstallation.Transport {
			t := ghinstallation.NewFromAppsTransport(i.hub.asApp(minting{i.tokens, i.hub.config.Transport}), i.id)
			t.InstallationTokenOptions = &scope
			return t
		},
	}
}

// RoundTrip sends a request with the token. If GitHub says that the token may not do what it should, it is sent once
// more with a new one, which shows whether a permission was taken away.
func (b *bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	needs := neededBy(request)
	response, used, err := b.send(request, needs)
	if err != nil || response.StatusCode != http.StatusForbidden || needs.Name == "" ||
		!answerHas(response, notGranted) || !b.suspect(used, needs) {
		return response, err
	}
	again, failed := anew(request)
	if failed != nil {
		return response, nil
	}
	response, _, err = b.send(again, needs)
	return response, err
}

// send sends a request with the token, which it returns. If GitHub gives none, because the account has not granted
// everything that is asked for, it is asked for less. A request that needs what the token lacks is not sent.
func (b *bearer) send(request *http.Request, needs Grant) (*http.Response, *ghinstallation.Transport, error) {
	used := b.token()
	if err := b.lack(needs); err != nil {
		discard(request)
		return nil, nil, err
	}
	response, err := used.RoundTrip(request)
	token := (*ghinstallation.HTTPError)(nil)
	if errors.As(err, &token) && token.Response != nil && token.Response.StatusCode == http.StatusUnprocessableEntity {
		if scope, lacks, failed := b.granted(request.Context(), b.scope); failed == nil && len(lacks) > 0 {
			less := b.use(used, scope, lacks)
			if err := b.lack(needs); err != nil {
				token.Response.Body.Close()
				return nil, nil, err
			}
			if again, failed := anew(request); failed == nil {
				token.Response.Body.Close()
				used, token = less, nil
				response, err = used.RoundTrip(again)
			}
		}
	}
	if token != nil || errors.As(err, &token) {
		b.refused()
	}
	if err == nil && response.StatusCode == http.StatusUnauthorized {
		b.drop(used)
	}
	if told, ok := request.Context().Value(usedKey{}).(**ghinstallation.Transport); ok {
		*told = used
	}
	return response, used, err
}

// usedKey is the key of a context for the token that a request bore, where its sender wants to know that.
type usedKey struct{}

// answerHas reports whether an answer contains some words, and leaves it readable.
func answerHas(response *http.Response, words string) bool {
	body, err := readAll(response.Body)
	if err != nil {
		body = nil
	}
	response.Body, response.ContentLength = readable(body), int64(len(body))
	return strings.Contains(string(body), words)
}

// token returns the transport with the present token.
func (b *bearer) token() *ghinstallation.Transport {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current == nil || !b.until.IsZero() && b.now().After(b.until) {
		b.current, b.lacks, b.until = b.fresh(b.scope), nil, time.Time{}
	}
	return b.current
}

// use has a token with fewer permissions be used for a while, in the place of one that was refused. If another request
// has put one there already, it is that one.
func (b *bearer) use(
	refused *ghinstallation.Transport, scope github.InstallationTokenOptions, lacks []Grant,
) *ghinstallation.Transport {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current == refused || b.current == nil {
		b.current, b.lacks, b.until = b.fresh(scope), lacks, b.now().Add(lessFor)
	}
	return b.current
}

// drop throws a token away.
func (b *bearer) drop(used *ghinstallation.Transport) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current == used {
		b.current, b.lacks, b.until = nil, nil, time.Time{}
	}
}

// renew has all of the scope be asked for again.
func (b *bearer) renew() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lacks) > 0 {
		b.current, b.lacks, b.until = nil, nil, time.Time{}
	}
}

// suspect throws away a token that GitHub refuses although the token has the permission: perhaps that was taken away,
// and then the next token is known to lack it. It may be for another reason, so one refusal in a while does so for each
// permission. It reports whether there is another token now than the one that was used.
func (b *bearer) suspect(used *ghinstallation.Transport, needs Grant) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current != used {
		return true
	}
	now := b.now()
	if at, before := b.suspected[needs.Name]; before && now.Sub(at) < lessFor {
		return false
	}
	b.suspected[needs.Name] = now
	b.current, b.lacks, b.until = nil, nil, time.Time{}
	return true
}

// missing is what the token lacks, as far as that is still believed. The lock is held.
func (b *bearer) missing() []Grant {
	if b.now().After(b.until) {
		return nil
	}
	return b.lacks
}

// lack returns the error of a request that needs permissions of which the token lacks some; nil if it has them.
func (b *bearer) lack(needs ...Grant) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var lacks []Grant
	for _, n := range needs {
		if slices.ContainsFunc(b.missing(), func(g Grant) bool { return g.Name == n.Name }) && !b.has(n) {
			lacks = append(lacks, n)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return lacking(lacks...)
}

// lackFor returns the error of a field of GraphQL that was refused, and of which it is not known what it needs; nil if
// the token has everything. A field that is read needs no more than that.
func (b *bearer) lackFor(field string, writes bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var lacks []Grant
	for _, g := range b.missing() {
		if !writes {
			g.Level = "read"
		}
		if !b.has(g) {
			lacks = append(lacks, g)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return lackingFor(field, lacks)
}

// has reports whether the token has a permission. The lock is held.
func (b *bearer) has(g Grant) bool {
	return g.In(permissionsOf(b.current.InstallationTokenOptions.Permissions))
}

// anew returns a request that can be sent once more, although its body may have been closed.
func anew(request *http.Request) (*http.Request, error) {
	again := request.Clone(request.Context())
	if request.GetBody == nil {
		return again, nil
	}
	body, err := request.GetBody()
	again.Body = body
	return again, err
}
