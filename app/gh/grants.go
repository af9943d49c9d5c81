package gh

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Grants are the permissions of the App, by GitHub's names and levels ("checks": "write"), and the events that GitHub
// sends it.
type Grants struct {
	Permissions map[string]string `json:"permissions"`
	Events      []string          `json:"events"`
}

// Registration is the App as its owner has set it up.
type Registration struct {
	Grants
	Slug     string
	Settings string        // the address of the page where its owner changes it
	Ahead    time.Duration // how far GitHub's clock is ahead of ours, to the second
}

// Registration asks how the App is set up now, and what time GitHub has.
func (h *Hub) Registration(ctx context.Context) (Registration, error) {
	asked := func(err error) (Registration, error) {
		return Registration{}, fmt.Errorf("ask for our App: %w", classify(err))
	}
	request, err := h.app.NewRequest(http.MethodGet, "app", nil)
	if err != nil {
		return asked(err)
	}
	var app struct {
		Grants
		Slug  string `json:"slug"`
		Owner struct {
			Login string `json:"login"`
			Type  string `json:"type"`
		} `json:"owner"`
	}
	if _, err := h.app.Do(ctx, request, &app); err != nil {
		return asked(err)
	}
	if app.Slug == "" {
		return asked(incomplete("the App"))
	}
	web := strings.TrimSuffix(h.config.WebURL, "/")
	r := Registration{
		Grants: app.Grants, Slug: app.Slug, Settings: web + "/settings/apps/" + app.Slug, Ahead: h.Ahead(),
	}
	if app.Owner.Type == "Organization" {
		r.Settings = fmt.Sprintf("%s/organizations/%s/settings/apps/%s", web, app.Owner.Login, app.Slug)
	}
	return r, nil
}

// Installation is the App in one account.
type Installation struct {
	ID        int64
	Account   promotion.Actor
	Suspended bool
	Grants           // that the account has accepted
	Page      string // the address where the account changes it
}

// Installations lists where the App is installed. What is kept of all others is forgotten.
func (h *Hub) Installations(ctx context.Context) ([]Installation, error) {
	var all []Installation
	err := pages(func(page *github.ListOptions) (*github.Response, error) {
		path := fmt.Sprintf("app/installations?per_page=%d&page=%d", page.PerPage, page.Page)
		request, err := h.app.NewRequest(http.MethodGet, path, nil)
		if err != nil {
			return nil, err
		}
		var some []struct {
			Grants
			ID        int64        `json:"id"`
			Account   *github.User `json:"account"`
			Suspended *time.Time   `json:"suspended_at"`
			Page      string       `json:"html_url"`
		}
		response, err := h.app.Do(ctx, request, &some)
		for _, i := range some {
			if i.ID == 0 {
				return nil, incomplete("an installation")
			}
			all = append(all, Installation{
				ID: i.ID, Account: actor(i.Account), Suspended: i.Suspended != nil, Grants: i.Grants, Page: i.Page,
			})
		}
		return response, err
	})
	if err != nil {
		return nil, fmt.Errorf("list installations: %w", err)
	}
	h.keep(all)
	return all, nil
}

// keep forgets the installations that GitHub does not list: whoever removes the App and installs it again has another
// one each time. Calls that are under way end with what they have.
func (h *Hub) keep(listed []Installation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	gone := func(id int64) bool {
		return id != 0 && !slices.ContainsFunc(listed, func(i Installation) bool { return i.ID == id })
	}
	maps.DeleteFunc(h.installations, func(id int64, _ *installationState) bool { return gone(id) })
	maps.DeleteFunc(h.owners, func(_ string, id int64) bool { return gone(id) })
}
