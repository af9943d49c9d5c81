package hub

import (
	"time"
	"waybill/internal/githubsim/gitstore"
)

// Repository is one repository with everything that happened in it.
type Repository struct {
	ID       int64
	Owner    *Account
	Name     string
	Private  bool
	Archived bool
	Created  time.Time
	Pushed   time.Time
	git      *gitstore.Repo // objects and references
	Parent   *Repository    // of a fork

	Board
	Reports
	Rules
	Collaborators map[string]string // explicit levels, by lower-case login
	Roles         map[string]string // custom roles that stand for them
	Deployments   []*Deployment
	Environments  []string
	Releases      []*Release
	WorkflowRuns  []*WorkflowRun
	queue         []*QueueEntry // of all branches
}

// FullName is "owner/name".
func (r *Repository) FullName() string { return r.Owner.Login + "/" + r.Name }

// Visibility is "private" or "public".
func (r *Repository) Visibility() string {
	if r.Private {
		return "private"
	}
	return "public"
}

// Configure changes the switches of a repository, without a webhook.
func (r *Repository) Configure(settings RepoSettings, archived bool) {
	r.Settings, r.Archived = settings, archived
}

// SetPublic makes a repository public or private.
func (r *Repository) SetPublic(public bool) { r.Private = !public }

// Git is the Git repository as it is. Everything is written there.
func (r *Repository) Git() *gitstore.Repo { return r.git }

// Seen is the Git repository as requests read it.
func (r *Repository) Seen() *gitstore.Repo { return r.git }
