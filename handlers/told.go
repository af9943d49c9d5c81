package handlers

import (
	"encoding/json"
	"slices"
	"time"

	"waybill/promotion"
)

// Told is the events of one delivery, in one repository or about one installation.
type Told struct {
	From
	Events []Event
}

// From says where a delivery comes from.
type From struct {
	Repo          promotion.Repo  // empty in deliveries about an installation or an account
	RepoID        int64           // does not change when the repository is renamed or transferred
	Installation  int64           // of our App; 0 when the delivery names none
	Account       promotion.Actor // that the repository or the installation belongs to
	DefaultBranch string          // empty when the delivery does not say
	Sender        promotion.Actor
	SenderIsBot   bool // the sender is an App, ours or another
	Ours          bool // our own App caused the delivery
	// Received is when the delivery arrived, by our clock. Decode does not know it.
	Received time.Time
}

// Event is one event: a pointer to one of the types of this file, or to a promotion.Signal, a promotion.Suite or a
// promotion.Image that is new, or has changed.
type Event any

// OurPull is the present state of a pull request of ours. The store sets Revision.
type OurPull struct {
	promotion.Pull
	// Dequeued is why GitHub took the pull request out of its merge queue; empty if it did not, or if we asked for that.
	Dequeued string
}

// Push is a move of a branch that still exists.
type Push struct {
	promotion.Push
	PathsUnknown  bool     // the paths are not, or not all, in the delivery: they must be asked for
	OnDefault     []string // the paths that were changed on the default branch, as far as the delivery names them
	Moved         []string // those of them that were added or removed
	ConfigTouched bool     // our files on the default branch may have changed
}

// Released is a release that was published or changed. GitHub has to be asked for its present state.
type Released struct{ Tag string }

// TagPushed is a tag that was pushed. GitHub has to be asked for its present commit and date.
type TagPushed struct{ Tag string }

// Dispatched is a repository_dispatch that reports an artifact of CI.
type Dispatched struct{ Payload json.RawMessage }

// PeopleChanged says that people, teams, or their rights have changed in the account.
type PeopleChanged struct{}

// OwnerRenamed says that the account has another name, and so have all of its repositories.
type OwnerRenamed struct{}

// OurRun is a check run of ours, as it was on GitHub when it was asked for something.
type OurRun struct {
	ID         int64
	SHA        promotion.SHA
	Name       string
	ExternalID string
}

// Press is a button of a check run that a person has pressed.
type Press struct {
	OurRun
	Button string // its identifier
	By     promotion.Actor
}

// Rerun asks for check runs of ours to be made again. Until then GitHub waits for them.
type Rerun struct {
	OurRun                 // if its ID is 0: all on the commit
	By     promotion.Actor // the zero value is an App, which gives no commands
}

// Removal is a label that was removed from a pull request, or a comment of ours that was deleted, by any account.
type Removal struct {
	Number  int    // of the pull request
	Label   string // empty: it is a comment
	Comment int64
}

// Label is a label that was added to a pull request, or removed.
type Label struct {
	Number int
	Name   string
	Head   promotion.SHA // of the pull request at that time
	Gone   bool
	Ours   string // the branch of the pull request, if it is one of ours
	By     promotion.Actor
	At     time.Time
}

// Approval is a review by which a person has just approved a commit of a pull request, or has asked for changes.
type Approval struct {
	ID      int64 // of the review
	Number  int
	SHA     promotion.SHA
	By      promotion.Actor
	At      time.Time
	Against bool // it asks for changes
}

// MergedPull is a pull request that was merged.
type MergedPull struct {
	Number   int
	Title    string
	Author   promotion.Actor
	MergedAt time.Time     // GitHub's time, which orders freight
	MergeSHA promotion.SHA // the commit on the base branch, however it was merged
	Base     string
	Labels   []string
	Issues   []string // that it closes by its text
}

// Unfinished says that a pull request of the repository was merged, and not by which commit: GitHub has to be asked.
type Unfinished struct{}

// ProposedPull is a pull request that is open.
type ProposedPull struct {
	Number int
	Head   promotion.SHA // may be a commit of a fork: its files are not in force
	// Fork says that Head is not in the repository itself: nobody with write access need have pushed it.
	Fork bool
	By   promotion.Actor // who has opened the pull request or pushed to it; the zero value is an App
}

// PullChange is what has just happened to a pull request.
type PullChange string

// The changes that matter; all others are "".
const (
	PullOpened   PullChange = "opened"
	PullPushed   PullChange = "pushed" // it has another head
	PullTurned   PullChange = "turned" // it has another base
	PullReopened PullChange = "reopened"
)

// CandidatePull is a pull request that may be merged one day.
type CandidatePull struct {
	Number  int
	Head    promotion.SHA
	Base    string
	Open    bool
	Merged  bool
	Updated time.Time
	Change  PullChange
	Before  promotion.SHA   // the head before, if it was pushed to
	Was     string          // the base before, if it has another one
	Fork    bool            // Head is not in the repository itself
	By      promotion.Actor // who has just done something to it; if that was an App, its author
}

// MergeGroup is a commit on which GitHub tries out a pull request that stands in a merge queue, on top of those before
// it.
type MergeGroup struct {
	promotion.Group
	Ref  string // the branch of the group
	Head promotion.SHA
	Gone bool // it was merged or taken down
}

// ProtectedJob is a job of GitHub Actions that GitHub holds back before it deploys.
type ProtectedJob struct {
	Run         int64 // of the workflow
	Environment string
	SHA         promotion.SHA // the commit to deploy
}

// Bump names pull requests that GitHub may now merge, or no longer: those with that head, or those from or into that
// branch. One of the two is set.
type Bump struct {
	SHA    promotion.SHA
	Branch string
}

// AccessChange is a change of an installation of the App.
type AccessChange string

const (
	// Installed is a new installation; Added lists its repositories.
	Installed AccessChange = "installed"
	// Uninstalled is the end of an installation.
	Uninstalled AccessChange = "uninstalled"
	// Suspended is a stop of all access until Resumed.
	Suspended AccessChange = "suspended"
	// Resumed is the end of a suspension.
	Resumed AccessChange = "resumed"
	// Permitted is a change of the App's permissions, accepted by the account.
	Permitted AccessChange = "permitted"
	// Reselected is a change of the repositories that the App may reach; Added lists the new ones.
	Reselected AccessChange = "reselected"
)

// Access is a change of the repositories that the App may reach in an installation.
type Access struct {
	Change AccessChange
	Added  []Repository
}

// Regained reports whether repositories can be reached again whose events were not delivered meanwhile.
func (a *Access) Regained() bool { return len(a.Added) > 0 || a.Change == Resumed }

// Repository names a repository.
type Repository struct {
	ID   int64
	Name promotion.Repo
}

// RepositoryChange is a change of a repository itself.
type RepositoryChange struct{ Kind RepositoryChangeKind }

// Regained reports whether the repository can be reached again, or under another name.
func (r *RepositoryChange) Regained() bool {
	return slices.Contains([]RepositoryChangeKind{Renamed, Transferred, Unarchived}, r.Kind)
}

// RepositoryChangeKind is a kind of change of a repository.
type RepositoryChangeKind string

const (
	// Renamed keeps the id, the owner and all else.
	Renamed RepositoryChangeKind = "renamed"
	// Transferred keeps the id. The new owner need not have installed the App.
	Transferred RepositoryChangeKind = "transferred"
	// Archived makes it read-only.
	Archived RepositoryChangeKind = "archived"
	// Unarchived lets it be written again.
	Unarchived RepositoryChangeKind = "unarchived"
	// Deleted is the end of it.
	Deleted RepositoryChangeKind = "deleted"
	// Rebranched has another default branch than before, and so another place where our files are read.
	Rebranched RepositoryChangeKind = "rebranched"
)
