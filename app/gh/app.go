package gh

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Self is our App as GitHub knows it.
type Self struct {
	AppID int64
	Slug  string // its bot account is called Slug + "[bot]"
}

// is reports whether an account is our App's bot. No person can have brackets in their login.
func (s Self) is(u *github.User) bool { return strings.EqualFold(u.GetLogin(), s.Slug+"[bot]") }

// by returns the actor of an event: the zero actor, which is Waybill itself, if it was our App.
func (s Self) by(u *github.User) promotion.Actor {
	if s.is(u) {
		return promotion.Actor{}
	}
	return actor(u)
}

func actor(u *github.User) promotion.Actor {
	return promotion.Actor{ID: u.GetID(), Login: promotion.Login(u.GetLogin())}
}

// Self returns who we are, which GitHub is asked for once.
func (h *Hub) Self(ctx context.Context) (Self, error) {
	h.mu.Lock()
	known := h.self
	h.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	return h.Greet(ctx)
}

// Greet asks GitHub who we are, also if it has told before: whether it can be reached shows in that.
func (h *Hub) Greet(ctx context.Context) (Self, error) {
	app, _, err := h.app.Apps.Get(ctx, "")
	if err != nil {
		return Self{}, fmt.Errorf("ask for our App: %w", classify(err))
	}
	if app.GetID() == 0 || app.GetSlug() == "" {
		return Self{}, fmt.Errorf("ask for our App: %w", incomplete("the App"))
	}
	self := Self{AppID: app.GetID(), Slug: app.GetSlug()}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.self = &self
	return self, nil
}

// Repository is a repository that an installation reaches.
type Repository struct {
	ID            int64
	Name          promotion.Repo
	DefaultBranch string
	Archived      bool
}

// Repositories lists the repositories that an installation reaches.
func (h *Hub) Repositories(ctx context.Context, installation int64) ([]Repository, error) {
	client := h.rest(h.installationOf(installation).http(fmt.Sprint(installation), onlyMetadata()))
	var all []Repository
	err := pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := client.Apps.ListRepos(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, r := range some.Repositories {
			if r.GetID() == 0 || r.GetFullName() == "" {
				return nil, incomplete("a repository")
			}
			all = append(all, Repository{
				ID: r.GetID(), Name: promotion.Repo(r.GetFullName()), DefaultBranch: r.GetDefaultBranch(),
				Archived: r.GetArchived(),
			})
		}
		return response, nil
	})
	if err != nil {
		return nil, fmt.Errorf("list repositories of installation %d: %w", installation, err)
	}
	return all, nil
}

// perPage is the most that GitHub lists at a time.
const perPage = 100

// pages asks for one page after the other until there is none left.
func pages(ask func(*github.ListOptions) (*github.Response, error)) error {
	page := &github.ListOptions{PerPage: perPage, Page: 1}
	for {
		response, err := ask(page)
		if err != nil {
			return classify(err)
		}
		if response.NextPage == 0 {
			return nil
		}
		if response.NextPage <= page.Page {
			return errSamePage()
		}
		page.Page = response.NextPage
	}
}

// errSamePage is the error of a list that would never end.
func errSamePage() error { return transient(0, "GitHub lists the same page again", nil) }
