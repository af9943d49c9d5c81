package githubsim

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"
)

// deployment is a deployment with its statuses, oldest first.
type deployment struct {
	id          int64
	ref         string
	sha         string
	task        string
	environment string
	description string
	payload     any
	transient   bool
	production  bool
	creator     *account
	app         *app
	created     time.Time
	updated     time.Time
	statuses    []*deploymentStatus
}

type deploymentStatus struct {
	id             int64
	state          string
	environment    string
	description    string
	logURL         string
	environmentURL string
	creator        *account
	app            *app
	created        time.Time
}

// newDeployment is a deployment to be made. Nil required contexts mean all of the commit's.
type newDeployment struct {
	Ref                   string
	Task                  string
	AutoMerge             *bool     `json:"auto_merge"`
	RequiredContexts      *[]string `json:"required_contexts"`
	Payload               any
	Environment           string
	Description           string
	TransientEnvironment  bool  `json:"transient_environment"`
	ProductionEnvironment *bool `json:"production_environment"`
}

// newDeploymentStatus is a status of a deployment to be set.
type newDeploymentStatus struct {
	State          string
	TargetURL      string `json:"target_url"`
	LogURL         string `json:"log_url"`
	Description    string
	Environment    string
	EnvironmentURL string `json:"environment_url"`
	AutoInactive   *bool  `json:"auto_inactive"`
}

// Deployments keeps deployments, their statuses and their environments.
type Deployments struct {
	clock  *Clock
	events *Events
	refs   *Refs
}

// Create makes a deployment, or answers GitHub's two traps: 202 when it merged the default branch into the ref instead,
// and 409 when the commit's contexts have not all succeeded.
func (ds *Deployments) Create(r *repository, in newDeployment, who *account, through *app) (*deployment, error) {
	sha, found := r.git.Resolve(in.Ref)
	if !found {
		return nil, invalid("No ref found for: %s", in.Ref)
	}
	if merged, err := ds.mergeDefault(r, in, sha, who); merged || err != nil {
		return nil, err
	}
	if err := r.contextsMet(in.Ref, sha, in.RequiredContexts); err != nil {
		return nil, err
	}
	environment := cmp.Or(in.Environment, "production")
	d := &deployment{
		id: ds.clock.NextID(), ref: in.Ref, sha: sha, task: cmp.Or(in.Task, "deploy"), environment: environment, description: in.Description,
		payload: in.Payload, transient: in.TransientEnvironment, production: environment == "production", creator: who, app: through,
		created: ds.clock.Now(), updated: ds.clock.Now(),
	}
	set(&d.production, in.ProductionEnvironment)
	if d.payload == nil {
		d.payload = obj{}
	}
	r.deployments = append(r.deployments, d)
	if !slices.Contains(r.environments, environment) {
		r.environments = append(r.environments, environment)
	}
	ds.events.OfRepo(r, "deployment", "created", who, d, nil)
	return d, nil
}

// mergeDefault merges the default branch into a branch that is behind, unless auto_merge is off.
func (ds *Deployments) mergeDefault(r *repository, in newDeployment, sha string, who *account) (merged bool, err error) {
	base, _ := r.git.Branch(r.git.DefaultBranch())
	_, isBranch := r.git.Branch(in.Ref)
	if (in.AutoMerge != nil && !*in.AutoMerge) || !isBranch || r.git.IsAncestor(base, sha) {
		return false, nil
	}
	m, err := r.git.Merge(sha, base)
	if err != nil {
		return false, err
	}
	if !m.Clean() {
		return false, refuse(http.StatusConflict, "Conflict merging %s into %s", r.git.DefaultBranch(), in.Ref)
	}
	commit, err := ds.refs.WriteMerge(r, m, sha, base, who, "Merge "+r.git.DefaultBranch()+" into "+in.Ref)
	if err != nil {
		return false, err
	}
	return true, ds.refs.Push(r, "refs/heads/"+in.Ref, commit, who)
}

// SetStatus sets a status of a deployment.
func (ds *Deployments) SetStatus(r *repository, d *deployment, in newDeploymentStatus, who *account, through *app) (*deploymentStatus, error) {
	if !slices.Contains([]string{"error", "failure", "inactive", "in_progress", "queued", "pending", "success"}, in.State) {
		return nil, validationFailed("DeploymentStatus", "state", "invalid", "")
	}
	if len([]rune(in.Description)) > 140 {
		return nil, validationFailed("DeploymentStatus", "description", "custom", "description is too long (maximum is 140 characters)")
	}
	s := ds.appendStatus(r, d, in, who, through)
	if in.State == "success" && (in.AutoInactive == nil || *in.AutoInactive) {
		ds.retireOthers(r, d, who, through)
	}
	return s, nil
}

func (ds *Deployments) appendStatus(r *repository, d *deployment, in newDeploymentStatus, who *account, through *app) *deploymentStatus {
	s := &deploymentStatus{
		id: ds.clock.NextID(), state: in.State, environment: cmp.Or(in.Environment, d.environment), description: in.Description,
		logURL: cmp.Or(in.LogURL, in.TargetURL), environmentURL: in.EnvironmentURL, creator: who, app: through, created: ds.clock.Now(),
	}
	d.statuses = append(d.statuses, s)
	d.updated = s.created
	ds.events.OfRepo(r, "deployment_status", "created", who, StatusOf{d, s}, nil)
	return s
}

// retireOthers marks the earlier deployments of an environment inactive, as auto_inactive does: not transient ones and not production.
func (ds *Deployments) retireOthers(r *repository, newest *deployment, who *account, through *app) {
	for _, d := range r.deployments {
		if d == newest || d.environment != newest.environment || d.transient || d.production || len(d.statuses) == 0 {
			continue
		}
		if d.statuses[len(d.statuses)-1].state == "success" {
			ds.appendStatus(r, d, newDeploymentStatus{State: "inactive"}, who, through)
		}
	}
}

func (r *repository) deployment(id int64) (*deployment, error) {
	for _, d := range r.deployments {
		if d.id == id {
			return d, nil
		}
	}
	return nil, notFound()
}

// environmentNamed finds an environment, by name without case.
func (r *repository) environmentNamed(name string) (string, bool) {
	for _, one := range r.environments {
		if strings.EqualFold(one, name) {
			return one, true
		}
	}
	return "", false
}

// Delete makes a deployment vanish.
func (ds *Deployments) Delete(r *repository, d *deployment) {
	r.deployments = slices.DeleteFunc(r.deployments, func(one *deployment) bool { return one == d })
}

// SetEnvironment makes or removes an environment. GitHub sends no webhook.
func (ds *Deployments) SetEnvironment(r *repository, name string, exists bool) {
	r.environments = slices.DeleteFunc(r.environments, func(one string) bool { return strings.EqualFold(one, name) })
	if exists {
		r.environments = append(r.environments, name)
	}
}
