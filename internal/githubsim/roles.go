package githubsim

import (
	"fmt"

	"waybill/internal/githubsim/hub"
)

// Admin acts as the administrators of accounts, repositories and installations of the App. Its methods send the
// webhooks that GitHub would send.
type Admin struct{ locked }

// Developer acts as people who work in repositories, with GitHub's webhooks.
type Developer struct{ locked }

// Services acts as CI, Actions, deployment tools and registries, with GitHub's webhooks.
type Services struct{ locked }

// Observer reads the state, as on GitHub's pages.
type Observer struct{ locked }

// locked runs changes and reads under the hub's lock.
type locked struct{ hub *hub.Hub }

// act makes a change by a person under the lock.
func (l locked) act(what string, change func(h *hub.Hub) error) error {
	l.hub.Lock()
	defer l.hub.Unlock()
	if err := change(l.hub); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// onRepo makes a change of a repository by a person under the lock. An unknown login becomes a user who is a member of
// every organization.
func (l locked) onRepo(what, repo, login string,
	change func(h *hub.Hub, r *hub.Repository, who *hub.Account) error) error {
	return l.act(what+" "+repo, func(h *hub.Hub) error {
		r, found := h.Repos.Find(repo)
		if !found {
			return fmt.Errorf("no such repository")
		}
		return change(h, r, h.Accounts.Person(login))
	})
}

// onOwnRepo makes a change of a repository by its owner.
func (l locked) onOwnRepo(what, repo string, change func(h *hub.Hub, r *hub.Repository) error) error {
	return l.act(what+" "+repo, func(h *hub.Hub) error {
		r, found := h.Repos.Find(repo)
		if !found {
			return fmt.Errorf("no such repository")
		}
		return change(h, r)
	})
}

// onOrg makes a change of an organization.
func (l locked) onOrg(what, login string, change func(h *hub.Hub, org *hub.Account) error) error {
	return l.act(what, func(h *hub.Hub) error {
		org, found := h.Accounts.Find(login)
		if !found || org.Kind != hub.KindOrg {
			return fmt.Errorf("no such organization")
		}
		return change(h, org)
	})
}

// read calls look with a repository under the lock. It does not call look if the repository does not exist.
func (l locked) read(repo string, look func(h *hub.Hub, r *hub.Repository)) {
	l.hub.Lock()
	defer l.hub.Unlock()
	if r, found := l.hub.Repos.Find(repo); found {
		look(l.hub, r)
	}
}
