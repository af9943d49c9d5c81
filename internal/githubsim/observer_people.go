package githubsim

import (
	"time"

	"waybill/internal/githubsim/hub"
)

// Review is a review of a pull request for tests.
type Review struct {
	ID          int64
	Author      string
	State       string // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED or PENDING
	Body        string
	SHA         string
	SubmittedAt time.Time
}

// Reviews lists the reviews of a pull request, oldest first.
func (o Observer) Reviews(repo string, number int) []Review {
	var reviews []Review
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		p, missing := r.FindPull(number)
		if missing != nil {
			return
		}
		for _, one := range p.Reviews {
			reviews = append(reviews, Review{
				ID: one.ID, Author: one.Author.Login, State: one.State, Body: one.Body, SHA: one.Commit, SubmittedAt: one.Submitted,
			})
		}
	})
	return reviews
}

// Permission returns a person's permission on a repository: none, read, triage, write, maintain or admin. An unknown
// person has none.
func (o Observer) Permission(repo, login string) string {
	level := "none"
	o.read(repo, func(h *hub.Hub, r *hub.Repository) {
		if a, found := h.Accounts.Find(login); found {
			level = r.Level(a)
		}
	})
	return level
}

// MayAct reports whether a person's permission on a repository is a level or above it.
func (o Observer) MayAct(repo, login, level string) bool {
	return hub.LevelRank(o.Permission(repo, login)) >= hub.LevelRank(level)
}

// Sends reports whether the App under test is told of a kind of event: its owner has ticked it, and it has the
// permission with which GitHub offers it.
func (o Observer) Sends(event string) bool {
	o.hub.Lock()
	defer o.hub.Unlock()
	return o.hub.Apps.Own.Sees(event)
}

// Grants reports whether the App under test has a permission at a level, "read" or "write".
func (o Observer) Grants(permission, level string) bool {
	o.hub.Lock()
	defer o.hub.Unlock()
	return hub.May(o.hub.Apps.Own.Permissions, permission, level)
}

// Unsent lists the kinds of events that an App may be told of, and of which the one under test is not.
func (o Observer) Unsent() []string {
	o.hub.Lock()
	defer o.hub.Unlock()
	return o.hub.Apps.Own.Unsent()
}

// Label is a label of a repository for tests.
type Label struct {
	Name        string
	Color       string // six hexadecimal digits
	Description string
}

// Labels lists the labels of a repository, oldest first.
func (o Observer) Labels(repo string) []Label {
	var labels []Label
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		for _, l := range r.Labels {
			labels = append(labels, Label{Name: l.Name, Color: l.Color, Description: l.Description})
		}
	})
	return labels
}

// AccountID returns the numeric id of an account, which renames do not change, or 0 if the account does not exist.
func (o Observer) AccountID(login string) int64 {
	o.hub.Lock()
	defer o.hub.Unlock()
	if a, found := o.hub.Accounts.Find(login); found {
		return a.ID
	}
	return 0
}
