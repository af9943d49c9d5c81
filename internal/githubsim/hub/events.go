package hub

import "strings"

// Event is something that happened, and that the App under test is told of by a webhook.
type Event struct {
	Name    string
	Action  string
	Install *Installation
	Repo    *Repository // nil for events of an installation or organization
	Org     *Account    // of an event that is about an organization
	Sender  *Account
	// Subject is the thing that the event is about (a pull request, a Push); nil when the repository itself is.
	Subject any
	// With holds the fields that the action adds, by the webhook's names: nouns of the hub, or plain values.
	With Fields
}

// Fields are the parts of a webhook by name.
type Fields = map[string]any

// Push is a reference that was moved, made (Before is zero) or deleted (After is zero).
type Push struct {
	Repo   *Repository
	Ref    string
	Before string
	After  string
	Who    *Account
}

// branch is the name of the branch that was pushed.
func (p Push) branch() string { return strings.TrimPrefix(p.Ref, "refs/heads/") }

// RefChange is the name of a branch or tag that was made or deleted.
type RefChange struct{ Ref string }

// Group is a merge group as it is, or was when it was destroyed.
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

// Published is a version of an image, under one of its tags.
type Published struct {
	Image   *Image
	Version *ImageVersion
	Tag     string
}

// Membership is a person's in a team or, without a team, in the organization.
type Membership struct {
	Team   *Team
	Member *Account
}

// Reach is a repository that an installation has gained or lost.
type Reach struct {
	Repo  *Repository
	Added bool
}

// Transfer is a repository that has got another owner.
type Transfer struct{ From *Account }

// Events decides who is told of an event.
type Events struct {
	apps *Apps
	tell func(Event)
}

// OfRepo sends an event of a repository to the App under test, if it is installed there and may see such events.
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
