package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

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

// MayLack names the permissions of Needed that only a feature needs.
func MayLack() []string { return []string{"deployments", "statuses"} }

// Needed are the permissions for Waybill's work in a repository: it writes branches, pull requests, comments, check
// runs and deployments. Anything else, workflows and administration above all, stays out of reach. Where an account has
// not granted deployments or commit statuses, the token lacks them, see granted.
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

// granted returns what is left of a scope for work in a repository if the account has not granted the permissions that
// only a feature needs: deployments and commit statuses. It is false if nothing is missing of those.
func (i *installationState) granted(
	ctx context.Context, scope github.InstallationTokenOptions,
) (github.InstallationTokenOptions, bool) {
	asked := scope.Permissions
	if asked == nil || asked.Deployments == nil || asked.Statuses == nil {
		return scope, false
	}
	installation, _, err := i.hub.app.Apps.GetInstallation(ctx, i.id)
	if err != nil {
		return scope, false
	}
	has, less := installation.GetPermissions(), *asked
	less.Statuses, less.Deployments = has.Statuses, has.Deployments
	scope.Permissions = &less
	return scope, has.GetStatuses() == "" || has.GetDeployments() != *asked.Deployments
}

// lessFor is how long a token with fewer permissions is used before Waybill asks for all of them again, which the
// account may have granted meanwhile.
const lessFor = 5 * time.Minute

// bearer is the transport that adds the token. A token that GitHub does not take any more, because it was revoked, is
// thrown away, and the next call mints a new one.
type bearer struct {
	scope   github.InstallationTokenOptions
	fresh   func(scope github.InstallationTokenOptions) *ghinstallation.Transport
	granted func(context.Context, github.InstallationTokenOptions) (github.InstallationTokenOptions, bool)
	refused func() // hears that GitHub gives no token

	mu      sync.Mutex
	current *ghinstallation.Transport
	until   time.Time // when all of the scope is asked for again; zero: current has it
}

func (i *installationState) bearing(scope github.InstallationTokenOptions) *bearer {
	return &bearer{
		scope: scope, granted: i.granted, refused: func() { i.hub.doubt(i.id) },
		fresh: func(scope github.InstallationTokenOptions) *ghinstallation.Transport {
			t := ghinstallation.NewFromAppsTransport(i.hub.asApp(), i.id)
			t.InstallationTokenOptions = &scope
			return t
		},
	}
}

// RoundTrip sends a request with the token. If GitHub gives none, because the account has not granted everything that
// is asked for, it is asked for less.
func (b *bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	used := b.token()
	response, err := used.RoundTrip(request)
	token := (*ghinstallation.HTTPError)(nil)
	if errors.As(err, &token) && token.Response != nil && token.Response.StatusCode == http.StatusUnprocessableEntity {
		if scope, less := b.granted(request.Context(), b.scope); less {
			if again, fails := anew(request); fails == nil {
				used, token = b.fresh(scope), nil
				if response, err = used.RoundTrip(again); !errors.As(err, &token) {
					used = b.use(used)
				}
			}
		}
	}
	if token != nil || errors.As(err, &token) {
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

// token returns the transport with the present token.
func (b *bearer) token() *ghinstallation.Transport {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current == nil || !b.until.IsZero() && time.Now().After(b.until) {
		b.current, b.until = b.fresh(b.scope), time.Time{}
	}
	return b.current
}

// use has a token with fewer permissions be used for a while.
func (b *bearer) use(less *ghinstallation.Transport) *ghinstallation.Transport {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.current, b.until = less, time.Now().Add(lessFor)
	return less
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
