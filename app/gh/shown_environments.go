package gh

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// environments finds out which environments exist. It is asked for by REST: while a token lasts and nothing has changed
// the answer costs nothing. GitHub shows them to an App that may read Actions.
func (s *showing) environments(ctx context.Context, _ string) error {
	wanted := s.of[promotion.KindEnvironment]
	if len(wanted) == 0 {
		return nil
	}
	exists := map[string]bool{} // in lower case: GitHub tells no names apart that differ in nothing else
	c := s.client
	reading, err := c.Workflows.actions(ctx, "read")
	if err != nil {
		return err
	}
	err = pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := reading.Repositories.ListEnvironments(ctx, c.owner, c.name,
			&github.EnvironmentListOptions{ListOptions: *page})
		if err != nil {
			return nil, err
		}
		for _, one := range some.Environments {
			exists[strings.ToLower(one.GetName())] = true
		}
		return response, nil
	})
	if isOff(err) {
		return nil // the account has not granted it: no environment is known
	}
	for _, one := range wanted {
		if exists[strings.ToLower(one.Name)] {
			s.states[one] = promotion.Met
		}
	}
	return err
}

// deployments finds the newest deployment in each environment that is not ours.
func (s *showing) deployments(ctx context.Context, _ string) error {
	wanted := s.of[promotion.KindDeployment]
	if len(wanted) == 0 {
		return nil
	}
	return inPortions(ctx, s.client, "Deployed", askedAtOnce, wanted, func(some []promotion.Condition) error {
		variables := map[string]any{"owner": s.client.owner, "name": s.client.name}
		declared, fields := "$owner: String!, $name: String!", ""
		for i, one := range some {
			variables[fmt.Sprintf("e%d", i)] = one.Name
			declared += fmt.Sprintf(", $e%d: String!", i)
			fields += fmt.Sprintf(" e%d: deployments(environments: [$e%d], first: %d, orderBy: {field: CREATED_AT, direction: "+
				"DESC}) { nodes { ...deployed } }", i, i, ownAmong)
		}
		var answer struct {
			Repository map[string]struct {
				Nodes []shownDeployment `json:"nodes"`
			} `json:"repository"`
		}
		document := "query Deployed(" + declared + ") { repository(owner: $owner, name: $name) {" + fields + " } }" +
			deployedFields
		if err := s.client.graph.ask(ctx, document, variables, &answer); isOff(err) {
			return nil // the account has not granted it: no deployment is known
		} else if err != nil {
			return err
		}
		if answer.Repository == nil {
			return noAccess("GitHub shows no such repository", nil)
		}
		for i, one := range some {
			s.note(one, newestOf(answer.Repository[fmt.Sprintf("e%d", i)].Nodes, s.self))
		}
		return nil
	})
}

const deployedFields = `
fragment deployed on Deployment { creator { __typename login } statuses(first: 10) { nodes { state createdAt } } }`

// shownDeployment is a deployment in an answer of GraphQL.
type shownDeployment struct {
	Creator  *account `json:"creator"`
	Statuses struct {
		Nodes []struct {
			State     string `json:"state"`
			CreatedAt string `json:"createdAt"` // in UTC, so that it can be compared
		} `json:"nodes"`
	} `json:"statuses"`
}

// newestOf returns the state of the first deployment that is not ours; "" if there is none.
func newestOf(newestFirst []shownDeployment, self Self) string {
	for _, one := range newestFirst {
		if !one.Creator.ours(self) {
			return one.state()
		}
	}
	return ""
}

// state is the result of a deployment: when a newer one succeeds, GitHub sets the older one to inactive.
func (d *shownDeployment) state() string {
	state, at := "", ""
	for _, status := range d.Statuses.Nodes {
		if status.State != "INACTIVE" && status.CreatedAt > at {
			state, at = status.State, status.CreatedAt
		}
	}
	switch {
	case state != "":
		return strings.ToLower(state)
	case len(d.Statuses.Nodes) > 0:
		return "inactive"
	}
	return "pending"
}
