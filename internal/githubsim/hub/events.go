package hub

import "strings"

// Event is a change of which GitHub notifies the App under test by a webhook.
type Event struct {
	Name    string
	Action  string
	Install *Installation
	Repo    *Repository // nil for events of an installation or organization
	Org     *Account    // of an event of an organization
	Sender  *Account
	// Subject is the resource of the event (a pull request, a Push); nil if it is the repository itself.
	Subject any
	// With holds the additional fields of the action by the webhook's names: values of the hub, or plain values.
	With Fields
}

// Fields maps names to parts of a webhook.
type Fields = map[string]any

// Push is a reference that was moved, created (Before is zero) or deleted (After is zero).
type Push struct {
	Repo   *Repository
	Ref    string
	Before string
	After  string
	Who    *Account
}

// branch returns the name of the branch that was pushed.
func (p Push) branch() string { return strings.TrimPrefix(p.Ref, "refs/heads/") }

// RefChange is the name of a branch or tag that was created or deleted.
type RefChange struct{ Ref string }

// Group is a merge group, or its last state if it was destroyed.
type Group struct{ QueueEntry }

// PullReview is a review of a pull request.
type PullReview struct {
	Pull   *Pull
	Review *Review
}

// StatusOf is a status of a deployment.
type StatusOf struct {
	Deployment *Deployment
	Status     *DeploymentStatus
}

// Asked is a job that waits before an environment.
type Asked struct {
	Run         *WorkflowRun
	Environment string
}

// Published is a version of an image with one of its tags.
type Published struct {
	Image   *Image
	Version *ImageVersion
	Tag     string
}

// Membership is a person's membership in a team or, without a team, in the organization.
type Membership struct {
	Team   *Team
	Member *Account
}

// Reach is a repository that an installation has gained or lost.
type Reach struct {
	Repo  *Repository
	Added bool
}

// Transfer is the move of a repository to another owner.
type Transfer struct{ From *Account }

// Events decides which events the App receives.
type Events struct {
	apps *Apps
	tell func(Event)
}

// OfRepo sends an event of a repository to the App under test, if it is installed there and receives such events.
func (es *Events) OfRepo(r *Repository, name, action string, sender *Account, subject any, with Fields) {
	install, found := es.apps.InstallationOf(r)
	if !found || !install.Suspended.IsZero() || !es.apps.Own.Sees(name) {
		return
	}
	es.tell(Event{Name: name, Action: action, Install: install, Repo: r, Sender: sender, Subject: subject, With: with})
}

// OfOrg sends an event of an organization to the App under test, if it is installed there.
func (es *Events) OfOrg(org *Account, name, action string, subject any, with Fields) {
	install, found := es.apps.InstallationFor(org)
	if !found || !install.Suspended.IsZero() || !es.apps.Own.Sees(name) {
		return
	}
	es.tell(Event{
		Name: name, Action: action, Install: install, Org: org, Sender: org.Ruler(), Subject: subject, With: with,
	})
}
