package gh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Deployment is a promotion as GitHub shows it in an environment.
type Deployment struct {
	Known       `json:"-"` // not known: found by its promotion, or made
	Pipeline    int64      // that numbers the promotion
	Promotion   promotion.Number
	Target      promotion.TargetName `json:",omitempty"` // that it is for; empty: the whole stage
	SHA         promotion.SHA
	Environment string
	State       string // in_progress, success, failure or inactive
	Description string
	LogURL      string
	// EnvironmentURL is the address of the deployed service; empty: not set.
	EnvironmentURL string `json:",omitempty"`
	// Fresh says that no earlier try can have made it, so that there is no need to look for it.
	Fresh bool `json:"-"`

	gone int64 // a deployment that was deleted, which lists may still have
}

// maxDeploymentText is how long GitHub lets a description be.
const maxDeploymentText = 140

// deployed is the payload of a deployment of ours, by which it is found again.
type deployed struct {
	Pipeline int64                `json:"waybill_pipeline"`
	Waybill  promotion.Number     `json:"waybill_promotion"`
	Target   promotion.TargetName `json:"waybill_target,omitempty"`
}

func (d *Deployment) mark() deployed { return deployed{d.Pipeline, d.Promotion, d.Target} }

func (d *Deployment) name() string {
	return fmt.Sprintf("the deployment of promotion %d in %s", d.Promotion, d.Environment)
}

// say adds the state to those that the deployment was in. GitHub keeps them all: one that is sent again after an answer
// was lost stands there twice. A deployment that was deleted is made again, unless it is over anyway.
func (d *Deployment) say(ctx context.Context, c *Client) (saying, error) {
	made := false
	if err := d.find(ctx, c); err != nil {
		return saying{}, err
	}
	if d.Node == "" {
		known, err := d.create(ctx, c)
		if err != nil {
			return saying{}, err
		}
		d.Known, made = known, true
	}
	s := step{field: "createDeploymentStatus", input: d.input(), wants: "deploymentStatus { id }", into: &struct{}{}}
	return saying{step: s, heard: func(err error) (Known, bool, error) {
		switch {
		case made || !errors.Is(err, ErrNotFound):
			return d.Known, false, err
		case d.State == "inactive":
			return d.Known, false, nil
		}
		d.gone, d.Known, d.Fresh = d.ID, Known{}, false // an earlier try may have made another, and not heard so
		return Known{}, true, nil
	}}, nil
}

func (d *Deployment) input() map[string]any {
	in := map[string]any{
		"deploymentId": d.Node, "state": strings.ToUpper(d.State), "logUrl": d.LogURL, "description": clip(d.Description,
			maxDeploymentText),
		"autoInactive": false, // we say ourselves which deployments were replaced, and leave those of others alone
	}
	if d.EnvironmentURL != "" {
		in["environmentUrl"] = d.EnvironmentURL
	}
	return in
}

// find learns how GitHub knows the deployment, if that is not known and there may be one.
func (d *Deployment) find(ctx context.Context, c *Client) (err error) {
	if d.Node == "" && !d.Fresh {
		d.Known, err = d.search(ctx, c)
	}
	return err
}

// search finds the deployment that we have made for a promotion, if there is one that is newer than one that is gone. A
// mark of another App is not believed.
func (d *Deployment) search(ctx context.Context, c *Client) (found Known, err error) {
	self, err := c.self(ctx)
	if err != nil {
		return Known{}, err
	}
	newest := d.gone
	err = pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := c.rest.Repositories.ListDeployments(ctx, c.owner, c.name, &github.DeploymentsListOptions{
			SHA: string(d.SHA), Environment: d.Environment, ListOptions: *page,
		})
		for _, one := range some {
			var mark deployed
			if self.is(one.Creator) && json.Unmarshal(one.Payload, &mark) == nil && mark == d.mark() && one.GetID() > newest {
				if one.GetNodeID() == "" {
					return nil, incomplete("a deployment")
				}
				newest = one.GetID()
				found = Known{ID: one.GetID(), Node: one.GetNodeID()}
			}
		}
		return response, err
	})
	return found, err
}

// create makes a deployment of a commit as it is: nothing is merged into it, and nothing waited for. GraphQL
// makes deployments of branches only.
func (d *Deployment) create(ctx context.Context, c *Client) (Known, error) {
	made, _, err := c.rest.Repositories.CreateDeployment(ctx, c.owner, c.name, &github.DeploymentRequest{
		Ref: github.String(string(d.SHA)), Environment: &d.Environment,
		Description: optional(clip(d.Description, maxDeploymentText)), AutoMerge: github.Bool(false),
		RequiredContexts: &[]string{}, Payload: d.mark(),
	})
	if err == nil && (made.GetID() == 0 || made.GetNodeID() == "") {
		return Known{}, incomplete("the deployment that it made")
	}
	return Known{ID: made.GetID(), Node: made.GetNodeID()}, classify(err)
}
