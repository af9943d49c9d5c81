package views

import (
	"errors"
	"fmt"
	"time"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/promotion"
	"waybill/store"
)

// DeploymentView is the content of a view of kind deployment: a deployment and its repository.
type DeploymentView struct {
	Repo   promotion.Repo
	Merged time.Time // when the promotion was merged; the deployment is not older
	gh.Deployment
}

// deploymentAddress is the address of the deployment of a promotion.
func deploymentAddress(pipeline int64, n promotion.Number) string {
	return fmt.Sprintf("deployment:%d/%d", pipeline, n)
}

// targetAddress is the address of the deployment of a promotion to one of its targets.
func targetAddress(pipeline int64, n promotion.Number, t promotion.TargetName) string {
	return fmt.Sprintf("%s/%s", deploymentAddress(pipeline, n), t)
}

// wantDeployments writes down the deployments of a stage's promotions. One begins once its promotion is merged, and is
// always brought to its end (T39), even if the pipeline file wants none any more.
func wantDeployments(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	for i := range s.Promotions {
		p := &s.Promotions[i]
		state := s.Deployed(p)
		if state == "" {
			continue
		}
		address := deploymentAddress(key.Pipeline, p.Number)
		var look DeploymentView
		there, err := surface.Wanted(tx, address, &look)
		if err != nil {
			return err
		}
		if !there && (state == "inactive" || !s.Stage.Deploys()) {
			continue
		}
		if !there {
			look = DeploymentView{Repo: s.Pipeline.FilesOfStep(s.Stage, p).Repo, Merged: p.Merged, Deployment: gh.Deployment{
				Pipeline: key.Pipeline, Promotion: p.Number, SHA: p.MergeSHA, Environment: s.Stage.Targets[0].Environment,
				LogURL: s.Link(p.Number).URL, EnvironmentURL: s.Stage.Targets[0].EnvironmentURL,
				Description: fmt.Sprintf("%s in %s", p.Freight.Name, key.Stage),
			}}
		}
		look.State = state
		v := store.View{
			Surface: address, Pipeline: key.Pipeline, Stage: key.Stage, Kind: surface.KindDeployment, Promotion: p.Number,
		}
		if err := surface.Want(tx, v, look); err != nil {
			return err
		}
	}
	return wantTargetDeployments(tx, key, s)
}

// wantTargetDeployments writes down the deployments to targets with environments of their own.
func wantTargetDeployments(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	known := targetViews{pipeline: key.Pipeline, of: map[promotion.Number]map[string]store.View{}}
	for i := range s.Deployments {
		if !s.Deployments[i].Ended() {
			if err := known.read(tx, s.Deployments[i].Promotion); err != nil {
				return err
			}
		}
	}
	for _, d := range s.DeployedTo() {
		if err := known.read(tx, d.Promotion); err != nil {
			return err
		}
		v, there := known.take(d.Promotion, d.Target)
		if err := wantTargetDeployment(tx, key, s, d, v, there); err != nil {
			return err
		}
	}
	return known.end(tx)
}

// targetViews are the views of deployments to targets, by promotion and address. A view is removed when its target is
// done.
type targetViews struct {
	pipeline int64
	of       map[promotion.Number]map[string]store.View
}

// read reads the views of a promotion, once.
func (known targetViews) read(tx *store.Tx, n promotion.Number) error {
	if known.of[n] != nil {
		return nil
	}
	known.of[n] = map[string]store.View{}
	all, err := tx.Views.ViewsUnder(deploymentAddress(known.pipeline, n))
	for _, v := range all {
		known.of[n][v.Surface] = v
	}
	return err
}

// take removes and returns the view of a target.
func (known targetViews) take(n promotion.Number, t promotion.TargetName) (v store.View, there bool) {
	address := targetAddress(known.pipeline, n, t)
	v, there = known.of[n][address]
	delete(known.of[n], address)
	return v, there
}

// end ends the deployments that are left: their targets are gone.
func (known targetViews) end(tx *store.Tx) error {
	for _, some := range known.of {
		for _, v := range some {
			var look DeploymentView
			if err := surface.ReadLook(&v, &look); err != nil {
				return err
			}
			look.State = "inactive"
			if err := surface.Want(tx, v, look); err != nil {
				return err
			}
		}
	}
	return nil
}

// wantTargetDeployment writes down one deployment to a target. v is its view, if it is there.
func wantTargetDeployment(
	tx *store.Tx, key store.StageKey, s *promotion.Snapshot, d promotion.TargetDeployment, v store.View, there bool,
) error {
	target := s.Stage.Target(d.Target)
	if !there && (d.State == "inactive" || target == nil || s.Stage.Strategy.OneDeployment || !target.Deploys()) {
		return nil
	}
	var look DeploymentView
	var err error
	if there {
		err = surface.ReadLook(&v, &look)
	} else {
		look, err = deploymentTo(tx, key, s, d, target)
	}
	if err != nil || look.State == d.State {
		return err
	}
	look.State = d.State
	address := targetAddress(key.Pipeline, d.Promotion, d.Target)
	v = store.View{
		Surface: address, Pipeline: key.Pipeline, Stage: key.Stage, Kind: surface.KindDeployment, Promotion: d.Promotion,
	}
	return surface.Want(tx, v, look)
}

// deploymentTo returns a new deployment to a target.
func deploymentTo(
	tx *store.Tx, key store.StageKey, s *promotion.Snapshot, d promotion.TargetDeployment, target *promotion.Target,
) (DeploymentView, error) {
	p, err := tx.Promotions.ByNumber(key.Pipeline, d.Promotion)
	if err != nil {
		return DeploymentView{}, err
	}
	link, err := linkOf(tx, key.Pipeline, s, d)
	return DeploymentView{Repo: s.Pipeline.FilesOn(s.Stage, target.Files).
		Repo, Merged: p.Merged, Deployment: gh.Deployment{
		Pipeline: key.Pipeline, Promotion: d.Promotion, Target: d.Target, SHA: d.SHA, Environment: target.Environment,
		LogURL: link, EnvironmentURL: target.EnvironmentURL,
		Description: fmt.Sprintf("%s in %s/%s", p.Freight.Name, key.Stage, d.Target),
	}}, err
}

// linkOf returns the URL of the pull request, commit or run that brought freight to a target, which may be of a past
// step.
func linkOf(tx *store.Tx, pipeline int64, s *promotion.Snapshot, d promotion.TargetDeployment) (string, error) {
	past, err := tx.Attempts.Past(pipeline, d.Promotion, d.Step)
	if errors.Is(err, store.ErrNotFound) {
		return s.Link(d.Promotion).URL, nil
	}
	return past.Made.URL, err
}
