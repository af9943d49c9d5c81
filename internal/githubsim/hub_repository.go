package githubsim

import (
	"time"
	"waybill/internal/githubsim/gitstore"
)

// repository is one repository with everything that happened in it.
type repository struct {
	id       int64
	owner    *account
	name     string
	private  bool
	archived bool
	created  time.Time
	pushed   time.Time
	git      *gitstore.Repo // objects and references
	parent   *repository    // of a fork

	Board
	Reports
	Rules
	collaborators map[string]string // explicit levels, by lower-case login
	roles         map[string]string // custom roles that stand for them
	deployments   []*deployment
	environments  []string
	releases      []*release
	workflowRuns  []*workflowRun
	queue         []*queueEntry // of all branches
}

func (r *repository) fullName() string { return r.owner.login + "/" + r.name }

// visibility is "private" or "public".
func (r *repository) visibility() string {
	if r.private {
		return "private"
	}
	return "public"
}

// Configure changes the switches of a repository, without a webhook.
func (r *repository) Configure(settings RepoSettings, archived bool) {
	r.settings, r.archived = settings, archived
}

// SetPublic makes a repository public or private.
func (r *repository) SetPublic(public bool) { r.private = !public }
