package hub

import (
	"time"

	"waybill/internal/githubsim/gitstore"
)

// Repository is one repository with its whole state.
type Repository struct {
	ID       int64
	Owner    *Account
	Name     string
	Private  bool
	Archived bool
	Created  time.Time
	Pushed   time.Time
	git      *gitstore.Repo // objects and references
	past     []past         // before each request that the current one may be behind
	seen     *gitstore.Repo // by the current request; nil if that is git
	Parent   *Repository    // of a fork

	Board
	Reports
	Rules
	Collaborators map[string]string // explicit levels, by lower-case login
	Roles         map[string]string // names of the custom roles that give these levels
	Deployments   []*Deployment
	Environments  []string
	Releases      []*Release
	WorkflowRuns  []*WorkflowRun
	queue         []*QueueEntry // of all branches
	activity      []Activity    // of all branches, oldest first
}

// FullName returns "owner/name".
func (r *Repository) FullName() string { return r.Owner.Login + "/" + r.Name }

// Visibility returns "private" or "public".
func (r *Repository) Visibility() string {
	if r.Private {
		return "private"
	}
	return "public"
}

// Configure changes the settings of a repository, without a webhook.
func (r *Repository) Configure(settings RepoSettings, archived bool) {
	r.Settings, r.Archived = settings, archived
}

// SetPublic makes a repository public or private.
func (r *Repository) SetPublic(public bool) { r.Private = !public }

// Git returns the current Git repository. All writes use it.
func (r *Repository) Git() *gitstore.Repo { return r.git }

// Seen returns the Git repository that requests read.
func (r *Repository) Seen() *gitstore.Repo {
	if r.seen != nil {
		return r.seen
	}
	return r.git
}
