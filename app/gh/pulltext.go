package gh

import (
	"context"
	"fmt"

	"waybill/promotion"
)

// PullText is the text of a pull request of ours.
type PullText struct {
	Known  `json:"-"` // not known: found by its number
	Repo   promotion.Repo
	Number int
	Body   string // without the marker, which is added
	Marker string // as it was opened with
}

func (p *PullText) name() string { return fmt.Sprintf("the text of pull request #%d", p.Number) }

// say replaces the text. Nothing is read from what stands there: what a person has changed in it is lost.
func (p *PullText) say(ctx context.Context, c *Client) (saying, error) {
	if p.Node == "" {
		if err := p.find(ctx, c); err != nil {
			return saying{}, err
		}
	}
	s := step{
		field: "updatePullRequest", wants: "pullRequest { id }", into: &struct{}{},
		input: map[string]any{"pullRequestId": p.Node, "body": marked(p.Body, p.Marker)},
	}
	return saying{step: s, heard: func(err error) (Known, bool, error) { return p.Known, false, err }}, nil
}

// find asks how GitHub's GraphQL knows the pull request.
func (p *PullText) find(ctx context.Context, c *Client) error {
	var answer struct {
		Repository *struct {
			Pull *struct {
				ID string `json:"id"`
			} `json:"pullRequest"`
		} `json:"repository"`
	}
	err := c.graph.ask(ctx, `query Pull($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { id } }
}`, map[string]any{"owner": c.owner, "name": c.name, "number": p.Number}, &answer)
	switch {
	case err != nil:
		return err
	case answer.Repository == nil || answer.Repository.Pull == nil:
		return notFound("there is no pull request #%d", p.Number)
	case answer.Repository.Pull.ID == "":
		return incomplete("the pull request")
	}
	p.Known = Known{ID: int64(p.Number), Node: answer.Repository.Pull.ID}
	return nil
}
