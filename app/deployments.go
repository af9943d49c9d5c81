package app

import (
	"fmt"
	"time"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/store"
)

// deploymentView is a deployment and the repository that it belongs to: what a view of kind deployment holds.
type deploymentView struct {
	Repo   promotion.Repo
	Merged time.Time // the promotion, before which there was no deployment
	gh.Deployment
}

// deploymentSurface names the deployment of a promotion.
func deploymentSurface(n promotion.Number) string { return fmt.Sprintf("deployment:%d", n) }

// wantDeployments writes down how the deployments of a stage's promotions should look. One begins once its promotion is
// merged. One that has begun is brought to its end (T39), also when the pipeline file asks for none any more.
func wantDeployments(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	for i := range s.Promotions {
		p := &s.Promotions[i]
		state := s.Deployed(p)
		if state == "" {
			continue
		}
		surface := deploymentSurface(p.Number)
		var look deploymentView
		there, err := wanted(tx, surface, &look)
		if err != nil {
			return err
		}
		if !there && (state == "inactive" || !s.Stage.Deploys()) {
			continue
		}
		if !there {
			look = deploymentView{Repo: s.Files().Repo, Merged: p.Merged, Deployment: gh.Deployment{
				Promotion: p.Number, SHA: p.MergeSHA, Environment: s.Stage.Environment, LogURL: s.Link(p.Number).URL,
				EnvironmentURL: s.Stage.EnvironmentURL, Description: fmt.Sprintf("%s in %s", p.FreightName, key.Stage),
			}}
		}
		look.State = state
		if err := want(tx, store.View{Surface: surface, Pipeline: key.Pipeline, Stage: key.Stage, Kind: viewDeployment}, look); err != nil {
			return err
		}
	}
	return nil
}
