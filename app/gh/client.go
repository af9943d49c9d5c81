package gh

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Client asks about and writes to one repository, as the App. It is safe for concurrent use.
type Client struct {
	hub          *Hub
	installation *installationState // nil: whichever reaches the repository
	repo         promotion.Repo
	owner, name  string
	http         *http.Client
	rest         *github.Client
	node         atomic.Pointer[string] // the repository's id in GraphQL, once it is known
}

// newClient returns a client for a repository that sends its requests over a client for HTTP. The installation is nil
// if it is whichever reaches the repository.
func (h *Hub) newClient(i *installationState, repo promotion.Repo, over *http.Client) *Client {
	owner, name, _ := strings.Cut(string(repo), "/")
	return &Client{hub: h, installation: i, repo: repo, owner: owner, name: name, http: over, rest: h.rest(over)}
}

// wrong says which operation failed, and where, and gives the error its class.
func (c *Client) wrong(err error, what string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s of %s: %w", fmt.Sprintf(what, args...), c.repo, classify(err))
}

// self returns our App, which GitHub was asked for once.
func (c *Client) self(ctx context.Context) (Self, error) { return c.hub.Self(ctx) }
