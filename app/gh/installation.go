package gh

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"
	lru "github.com/hashicorp/golang-lru/v2"

	"waybill/promotion"
)

// installationState is shared by the clients of one installation: its tokens and the requests that it has left.
type installationState struct {
	id    int64
	gate  *gate
	slots *slots
	hub   *Hub

	mu      sync.Mutex
	clients *lru.Cache[string, *Client]
}

func (h *Hub) newInstallation(id int64) *installationState {
	most := concurrent
	if id == 0 {
		most = concurrentOfApp
	}
	return &installationState{
		id: id, hub: h, gate: newGate(h.config.Clock),
		slots: newSlots(most), clients: remember[*Client](keptClients),
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
		gate: i.gate, installation: i.id, next: next, slots: i.slots, share: share, observe: i.hub.config.Observe,
		shut: i.hub.config.Changed,
	}
}

// http returns a client for HTTP whose calls bear a token of the installation with this scope and no other. The key
// separates its cache, and its share of the slots.
func (i *installationState) http(key string, scope github.InstallationTokenOptions) *http.Client {
	transport := i.hub.answers.revalidating(key, i.limited(key, i.bearing(scope)))
	return &http.Client{Transport: transport, Timeout: timeout, CheckRedirect: never}
}

// Installation returns the client for one repository of one installation. Its token opens that repository and no other,
// and there is none if the installation does not reach it: the claims of a delivery are held against that (T22). The
// same client is returned every time, unless so many others were asked for since that it was forgotten.
func (h *Hub) Installation(id int64, repo promotion.Repo) (*Client, error) {
	owner, name, err := split(repo)
	if err != nil {
		return nil, err
	}
	i := h.installationOf(id)
	i.mu.Lock()
	defer i.mu.Unlock()
	if c, ok := i.clients.Get(string(repo)); ok {
		return c, nil
	}
	over := i.http(fmt.Sprintf("%d %s", id, repo), github.InstallationTokenOptions{
		Repositories: []string{name},
		Permissions:  Needed(),
	})
	c := &Client{hub: h, installation: i, repo: repo, owner: owner, name: name, http: over, rest: h.rest(over)}
	i.clients.Add(string(repo), c)
	return c, nil
}

// Needed are the permissions for Waybill's work in a repository: it writes branches, pull requests, comments, check
// runs and deployments. Anything else, workflows and administration above all, stays out of reach.
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

// asApp returns a transport whose calls are signed by the App itself. Each is used by one client: ghinstallation
// changes it when a token is minted.
func (h *Hub) asApp() *ghinstallation.AppsTransport {
	t := ghinstallation.NewAppsTransportFromPrivateKey(h.config.Transport, h.config.AppID, h.key)
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
	fresh   func() *ghinstallation.Transport
	refused func() // hears that GitHub gives no token

	mu      sync.Mutex
	current *ghinstallation.Transport
}

func (i *installationState) bearing(scope github.InstallationTokenOptions) *bearer {
	return &bearer{refused: func() { i.hub.doubt(i.id) }, fresh: func() *ghinstallation.Transport {
		t := ghinstallation.NewFromAppsTransport(i.hub.asApp(), i.id)
		t.InstallationTokenOptions = &scope
		return t
	}}
}

// RoundTrip sends a request with the token.
func (b *bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	b.mu.Lock()
	if b.current == nil {
		b.current = b.fresh()
	}
	used := b.current
	b.mu.Unlock()
	response, err := used.RoundTrip(request)
	if token := (*ghinstallation.HTTPError)(nil); errors.As(err, &token) {
		b.refused()
	}
	if err == nil && response.StatusCode == http.StatusUnauthorized {
		b.mu.Lock()
		if b.current == used {
			b.current = nil
		}
		b.mu.Unlock()
	}
	return response, err
}
