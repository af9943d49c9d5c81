package handlers

import (
	"encoding/json"
	"slices"
	"time"

	"waybill/promotion"
)

// Facts are the facts of a delivery. All of them are about one repository, the one that the delivery names, except for
// Access, which is about an installation.
type Facts struct {
	Repo          promotion.Repo // empty in deliveries about an installation
	RepoID        int64          // does not change when the repository is renamed or transferred
	Installation  int64          // of our App; 0 when the delivery names none
	DefaultBranch string         // empty when the delivery does not say
	Sender        promotion.Actor
	SenderIsBot   bool // the sender is an App, ours or another
	Ours          bool // our own App caused the delivery

	// Merged is a pull request that was merged just now: freight, if a warehouse wants it. Ours never are.
	Merged *MergedPull
	// Proposed is another author's pull request into the default branch that is new, or has new commits.
	Proposed *ProposedPull
	// Candidate is another author's pull request as it is now, after any event.
	Candidate *CandidatePull
	// Group is a group of the merge queue that is to be checked, or is gone.
	Group *MergeGroup
	// ProtectedJob is a job that waits before an environment until we let it go on.
	Barrier *ProtectedJob
	// Comment is a comment that a person has just written below a pull request.
	Comment *Comment
	// Press is a button that a person has just pressed on a check run of ours.
	Press *Press
	// Removed is a label or comment, perhaps of ours, that was just removed.
	Removed *Removal
	// Label is a label that a person has just put on a pull request, or taken off.
	Label *Label
	// Approved is a review that approves a pull request of ours.
	Approved *Approval
	// People says that people, teams, or their rights have changed in the account of that name.
	People promotion.Login
	// Pulls are the states of pull requests of ours. The store counts their Revision.
	Pulls []promotion.Pull
	// Dequeued is why GitHub took the pull request of ours in Pulls out of its merge queue; empty if it did not, or if we
	// asked for that.
	Dequeued string
	// Bumps name pull requests about which GitHub may have changed its mind.
	Bumps []Bump

	Signals []promotion.Signal
	Suites  []promotion.Suite

	// Pushes are moves of branches. A branch that was deleted is in BranchDeleted instead.
	Pushes []promotion.Push
	// PathsUnknown says that the paths of Pushes are not, or not all, in the delivery: they must be asked for.
	PathsUnknown bool
	// Moved are the paths that a push to the default branch has added or removed, as far as the delivery names them.
	Moved []string
	// BranchDeleted is the branch that was deleted.
	BranchDeleted string
	// ConfigTouched says that our files on the default branch may have changed.
	ConfigTouched bool

	// Release is the tag of a release that was published or changed just now. Its present state has to be asked for.
	Release string
	// Tag is a tag that was pushed just now. Where it is, and since when, has to be asked for.
	Tag string

	// Image is an image that was pushed to GitHub's registry just now.
	Image *promotion.Image

	// Report is the payload of a repository_dispatch that reports a version of CI.
	Report json.RawMessage

	// Access is a change of the repositories that the App may reach.
	Access *Access
	// Repository is a change of the repository itself.
	Repository *RepositoryChange
}

// Press is a button of a check run, or the request to have the check made again.
type Press struct {
	Run        int64
	SHA        promotion.SHA
	ExternalID string // the subject of the run when it was pressed
	Button     string // its identifier; empty: make it again
	By         promotion.Actor
}

// Removal is a label that was taken off a pull request, by anyone, or a comment of ours that was deleted.
type Removal struct {
	Number  int    // of the pull request
	Label   string // empty: it is a comment
	Comment int64
}

// Label is a label of a pull request that has come or gone.
type Label struct {
	Number int
	Name   string
	Gone   bool
	Ours   string // the branch of the pull request, if it is one of ours
	By     promotion.Actor
}

// Approval is a review that has just approved a commit of a pull request.
type Approval struct {
	Number int
	SHA    promotion.SHA
	By     promotion.Actor
	At     time.Time
}

// MergedPull is a pull request that was merged.
type MergedPull struct {
	Number   int
	Title    string
	URL      string
	Author   promotion.Actor
	MergedAt time.Time // as GitHub says it: it orders freight
	MergedBy promotion.Actor
	MergeSHA promotion.SHA // the commit on the base branch, however it was merged
	Base     string
	Head     string         // the branch it came from
	HeadRepo promotion.Repo // where that branch is; empty once the fork is deleted
	Labels   []string
}

// ProposedPull is a pull request that is open.
type ProposedPull struct {
	Number int
	Head   promotion.SHA // may be a commit of a fork: nothing that it says is in force
}

// CandidatePull is a pull request that may be merged one day.
type CandidatePull struct {
	Number  int
	Head    promotion.SHA
	Base    string
	Open    bool
	Updated time.Time
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
	SHA         promotion.SHA // the commit to be deployed
}

// Bump names pull requests that GitHub may now merge, or no longer: those with that head, or those from or into that
// branch. One of the two is set.
type Bump struct {
	SHA    promotion.SHA
	Branch string
}

// AccessChange is the kind of an event of an installation of the App.
type AccessChange string

const (
	// Installed is a new installation; Added lists its repositories.
	Installed AccessChange = "installed"
	// Uninstalled is the end of an installation; Removed lists its repositories.
	Uninstalled AccessChange = "uninstalled"
	// Suspended is a stop of all access until Resumed.
	Suspended AccessChange = "suspended"
	// Resumed is the end of a suspension.
	Resumed AccessChange = "resumed"
	// Permitted is a change of the App's permissions, accepted by the account.
	Permitted AccessChange = "permitted"
	// Reselected is a change of the repositories that the App may reach: Added and Removed.
	Reselected AccessChange = "reselected"
)

// Access is a change of the repositories that the App may reach in an installation.
type Access struct {
	Change  AccessChange
	Account promotion.Login // whose installation it is
	Added   []Repository
	Removed []Repository
}

// Regained reports whether something can be reached again, or under another name, of which nothing was told meanwhile.
func (f *Facts) Regained() bool {
	if f.Access != nil {
		return len(f.Access.Added) > 0 || f.Access.Change == Resumed
	}
	return f.Repository != nil && slices.Contains([]RepositoryChangeKind{Renamed, Transferred, Unarchived},
		f.Repository.Kind)
}

// Repository names a repository.
type Repository struct {
	ID   int64
	Name promotion.Repo
}

// RepositoryChange is an event of a repository itself.
type RepositoryChange struct {
	Kind RepositoryChangeKind
	Was  promotion.Repo // its name before, when it was renamed or transferred
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
