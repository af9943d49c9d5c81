package hub

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Deployment is a deployment with its statuses, oldest first.
type Deployment struct {
	ID          int64
	Ref         string
	SHA         string
	Task        string
	Environment string
	Description string
	Payload     any
	Transient   bool
	Production  bool
	Creator     *Account
	App         *App
	Created     time.Time
	Updated     time.Time
	Statuses    []*DeploymentStatus
}

// DeploymentStatus is one status of a deployment.
type DeploymentStatus struct {
	ID             int64
	State          string
	Environment    string
	Description    string
	LogURL         string
	EnvironmentURL string
	Creator        *Account
	App            *App
	Created        time.Time
}

// DeploymentSpec describes a new deployment. Nil required contexts mean all contexts of the commit.
type DeploymentSpec struct {
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

// DeploymentStatusSpec describes a new status of a deployment.
type DeploymentStatusSpec struct {
	State          string
	TargetURL      string `json:"target_url"`
	LogURL         string `json:"log_url"`
	Description    string
	Environment    string
	EnvironmentURL string `json:"environment_url"`
	AutoInactive   *bool  `json:"auto_inactive"`
}

// Deployments stores deployments, their statuses and their environments.
type Deployments struct {
	clock  *Clock
	events *Events
	refs   *Refs
}

// Create makes a deployment. Like GitHub, it answers 202 if it merged the default branch into the ref instead, and 409
// if the commit's contexts have not all succeeded.
func (ds *Deployments) Create(r *Repository, in DeploymentSpec, who *Account, through *App) (*Deployment, error) {
	sha, found := r.git.Resolve(in.Ref)
	if !found {
		return nil, Invalid("No ref found for: %s", in.Ref)
	}
	if merged, err := ds.mergeDefault(r, in, sha, who); merged || err != nil {
		return nil, err
	}
	if err := r.contextsMet(in.Ref, sha, in.RequiredContexts); err != nil {
		return nil, err
	}
	environment := cmp.Or(in.Environment, "production")
	d := &Deployment{
		ID: ds.clock.NextID(), Ref: in.Ref, SHA: sha, Task: cmp.Or(in.Task, "deploy"), Environment: environment,
		Description: in.Description,
		Payload:     in.Payload, Transient: in.TransientEnvironment, Production: environment == "production", Creator: who,
		App:     through,
		Created: ds.clock.Now(), Updated: ds.clock.Now(),
	}
	set(&d.Production, in.ProductionEnvironment)
	if d.Payload == nil {
		d.Payload = Fields{}
	}
	r.Deployments = append(r.Deployments, d)
	if !slices.Contains(r.Environments, environment) {
		r.Environments = append(r.Environments, environment)
	}
	ds.events.OfRepo(r, "deployment", "created", who, d, nil)
	return d, nil
}

// mergeDefault merges the default branch into a branch that is behind, unless auto_merge is off.
func (ds *Deployments) mergeDefault(r *Repository, in DeploymentSpec, sha string,
	who *Account) (merged bool, err error) {
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
		return false, Refuse(http.StatusConflict, "Conflict merging %s into %s", r.git.DefaultBranch(), in.Ref)
	}
	commit, err := ds.refs.WriteMerge(r, m, sha, base, who, "Merge "+r.git.DefaultBranch()+" into "+in.Ref)
	if err != nil {
		return false, err
	}
	return true, ds.refs.Push(r, "refs/heads/"+in.Ref, commit, who)
}

// SetStatus sets a status of a deployment.
func (ds *Deployments) SetStatus(r *Repository, d *Deployment, in DeploymentStatusSpec, who *Account,
	through *App) (*DeploymentStatus, error) {
	if !slices.Contains([]string{"error", "failure", "inactive", "in_progress", "queued", "pending", "success"},
		in.State) {
		return nil, ValidationFailed("DeploymentStatus", "state", "invalid", "")
	}
	if len([]rune(in.Description)) > 140 {
		return nil, ValidationFailed("DeploymentStatus", "description", "custom",
			"description is too long (maximum is 140 characters)")
	}
	s := ds.appendStatus(r, d, in, who, through)
	if in.State == "success" && (in.AutoInactive == nil || *in.AutoInactive) {
		ds.retireOthers(r, d, who, through)
	}
	return s, nil
}

func (ds *Deployments) appendStatus(r *Repository, d *Deployment, in DeploymentStatusSpec, who *Account,
	through *App) *DeploymentStatus {
	s := &DeploymentStatus{
		ID: ds.clock.NextID(), State: in.State, Environment: cmp.Or(in.Environment, d.Environment),
		Description: in.Description,
		LogURL:      cmp.Or(in.LogURL, in.TargetURL), EnvironmentURL: in.EnvironmentURL, Creator: who, App: through,
		Created: ds.clock.Now(),
	}
	d.Statuses = append(d.Statuses, s)
	d.Updated = s.Created
	ds.events.OfRepo(r, "deployment_status", "created", who, StatusOf{d, s}, nil)
	return s
}

// retireOthers marks the earlier deployments of an environment inactive, as auto_inactive does, except transient ones
// and production.
func (ds *Deployments) retireOthers(r *Repository, newest *Deployment, who *Account, through *App) {
	for _, d := range r.Deployments {
		if d == newest || d.Environment != newest.Environment || d.Transient || d.Production || len(d.Statuses) == 0 {
			continue
		}
		if d.Statuses[len(d.Statuses)-1].State == "success" {
			ds.appendStatus(r, d, DeploymentStatusSpec{State: "inactive"}, who, through)
		}
	}
}

// Deployment finds a deployment.
func (r *Repository) Deployment(id int64) (*Deployment, error) {
	for _, d := range r.Deployments {
		if d.ID == id {
			return d, nil
		}
	}
	return nil, NotFound()
}

// EnvironmentNamed finds an environment by its name, ignoring case.
func (r *Repository) EnvironmentNamed(name string) (string, bool) {
	for _, one := range r.Environments {
		if strings.EqualFold(one, name) {
			return one, true
		}
	}
	return "", false
}

// Delete deletes a deployment.
func (ds *Deployments) Delete(r *Repository, d *Deployment) {
	r.Deployments = slices.DeleteFunc(r.Deployments, func(one *Deployment) bool { return one == d })
}

// SetEnvironment makes or removes an environment. GitHub sends no webhook.
func (ds *Deployments) SetEnvironment(r *Repository, name string, exists bool) {
	r.Environments = slices.DeleteFunc(r.Environments, func(one string) bool { return strings.EqualFold(one, name) })
	if exists {
		r.Environments = append(r.Environments, name)
	}
}
