package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"waybill/promotion"
)

// Client returns the client for one repository by whichever installation reaches it: the same one every time, unless so
// many others were asked for since that it was forgotten.
//
// The installation of the App does not decide whether a pipeline may name a repository: the repository itself must
// allow it. The claims of a delivery about a repository are another matter, see Installation.
func (h *Hub) Client(repo promotion.Repo) (*Client, error) {
	if _, _, err := split(repo); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c, ok := h.clients.Get(string(repo)); ok {
		return c, nil
	}
	by := &wherever{}
	c := h.newClient(nil, repo, &http.Client{Transport: by, Timeout: timeout, CheckRedirect: never})
	by.Client = c
	h.clients.Add(string(repo), c)
	return c, nil
}

// wherever is the transport of a client that has no installation of its own: each request goes by the one that reaches
// the repository now, within its limits and with its token.
type wherever struct{ *Client }

// RoundTrip sends a request. When the installation that is remembered gives no token, or GitHub does not take that any
// more, and there is another installation by now, it is sent by that: a request that was refused so has done nothing.
func (w *wherever) RoundTrip(request *http.Request) (*http.Response, error) {
	i, err := w.by(request.Context())
	if err != nil {
		discard(request)
		return nil, err
	}
	response, err := w.sendBy(i, request)
	switch {
	case err != nil:
		if err = classify(err); !errors.Is(err, ErrNoAccess) {
			return nil, err
		}
	case response.StatusCode == http.StatusUnauthorized:
		w.hub.doubt(i.id)
	default:
		return response, nil
	}
	now, failed := w.by(request.Context())
	if failed != nil || now.id == i.id {
		return response, err
	}
	again := request.Clone(request.Context())
	if request.GetBody != nil {
		if again.Body, failed = request.GetBody(); failed != nil {
			return response, err
		}
	}
	if response != nil {
		response.Body.Close()
	}
	return w.sendBy(now, again)
}

// sendBy sends a request by an installation.
func (w *wherever) sendBy(i *installationState, request *http.Request) (*http.Response, error) {
	there, err := w.hub.Installation(i.id, w.repo)
	if err != nil {
		discard(request)
		return nil, err
	}
	return there.http.Transport.RoundTrip(request)
}

// by returns the installation that the client speaks for.
func (c *Client) by(ctx context.Context) (*installationState, error) {
	if c.installation != nil {
		return c.installation, nil
	}
	return c.hub.reaching(ctx, c.repo)
}

// Purse returns the installation whose requests the client spends, and whether little is left of its hour.
func (c *Client) Purse(ctx context.Context) (installation int64, scarce bool, err error) {
	i, err := c.by(ctx)
	if err != nil {
		return 0, false, err
	}
	return i.id, i.gate.isScarce(), nil
}

// create has one thing made that is content, as soon as the installation has room for it; until then it returns a
// transient error that says when. If GitHub says that content is made too fast, the installation makes none for a
// while.
func (c *Client) create(ctx context.Context, make func() error) error {
	i, err := c.by(ctx)
	if err != nil {
		return err
	}
	wait := i.gate.throttledFor()
	counts := c.hub.config.Content
	if wait == 0 && counts != nil {
		if wait, err = counts.TakeContent(ctx, i.id); err != nil {
			return err
		}
	}
	if wait > 0 {
		return i.full(wait, fmt.Sprintf("enough content for now, more in %s", wait.Round(time.Second)), false)
	}
	err = classify(make())
	var pause time.Duration
	if ClassOf(err) == ClassThrottled {
		pause = i.gate.throttle()
		err = i.full(pause, failureOf(err).text, true)
	}
	if counts != nil {
		if failed := counts.MadeContent(ctx, i.id, pause); failed != nil {
			zerolog.Ctx(ctx).Warn().Err(failed).Msg("content is counted for longer")
		}
	}
	return err
}

// reaching returns the installation that reaches a repository. An installation is one account's: GitHub is asked about
// an owner until the answer is there, and again when it has refused a token.
func (h *Hub) reaching(ctx context.Context, repo promotion.Repo) (*installationState, error) {
	owner, name, err := split(repo)
	if err != nil {
		return nil, err
	}
	if err := h.serves(ctx, promotion.Actor{Login: promotion.Login(owner)}); err != nil {
		return nil, err
	}
	account := strings.ToLower(owner)
	h.mu.Lock()
	id, known := h.owners[account]
	h.mu.Unlock()
	if known {
		return h.installationOf(id), nil
	}
	found, _, err := h.app.Apps.FindRepositoryInstallation(ctx, owner, name)
	switch err = classify(err); {
	case errors.Is(err, ErrNotFound):
		return nil, noAccess("the App is not installed there", nil)
	case err == nil && (found.GetID() == 0 || found.GetAccount().GetID() == 0):
		err = incomplete("an installation")
	}
	if err != nil {
		return nil, fmt.Errorf("ask for the installation that reaches %s: %w", repo, err)
	}
	if err := h.serves(ctx, actor(found.Account)); err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.owners[account] = found.GetID()
	h.mu.Unlock()
	return h.installationOf(found.GetID()), nil
}

// serves returns an error if the server does not work for an owner.
func (h *Hub) serves(ctx context.Context, owner promotion.Actor) error {
	served, err := h.config.Serves(ctx, owner)
	if err == nil && !served {
		err = noAccess("this server does not work for "+string(owner.Login), nil)
	}
	return err
}

// doubt forgets whose an installation is that gives no token: it may be gone, and another one in its place.
func (h *Hub) doubt(id int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for account, one := range h.owners {
		if one == id {
			delete(h.owners, account)
		}
	}
}

// Missing tells apart two things of which GitHub says the same: something is not found, and then the error is returned
// as it is; or the whole repository is out of reach, though the token of its installation is good still, and then it is
// ErrNoAccess.
func (c *Client) Missing(ctx context.Context, err error) error {
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	if lost := c.lost(ctx); lost != nil {
		return lost
	}
	return err
}

// lost returns why the repository cannot be reached; nil if it can.
func (c *Client) lost(ctx context.Context) error {
	_, _, err := c.rest.Repositories.Get(ctx, c.owner, c.name)
	if err = classify(err); errors.Is(err, ErrNotFound) {
		return noAccess("the App does not reach "+string(c.repo), err)
	}
	return c.wrong(err, "ask whether it can be reached")
}
