package gh

import (
	"context"
	"errors"

	"github.com/shurcooL/githubv4"

	"waybill/promotion"
)

// OpenRequest is a branch and the pull request from it, both of which have names that nothing else has.
type OpenRequest struct {
	Branch string        // waybill/<stage>/<freight>/<promotion>
	Head   promotion.SHA // the commit that was made before
	Base   string
	Title  string
	Body   string // without the marker, which is added
	Marker string // <!-- waybill:promotion=7 -->
	// Fresh says that nobody can have tried before, so that there is no need to look for what they have left behind.
	Fresh bool
}

// Opened is the pull request that is there now.
type Opened struct {
	Pull    int
	URL     string
	State   promotion.PullState // not open: it was found, and a person was faster
	Adopted bool                // it was found, not made
}

// Open makes a commit visible: one branch and one pull request, in one request. What is there already is adopted if it is
// ours: written by our App, with the marker and the head. A name that exists and does not match is ErrRefused, and is
// left as it is. After an error or a lost answer it looks for what has happened and makes what is missing.
func (c *Client) Open(ctx context.Context, r OpenRequest) (Opened, error) {
	if len(r.Branch) > maxBranch {
		return Opened{}, c.wrong(refused("branch %s has too long a name", r.Branch), "open pull request")
	}
	opened, err := c.open(ctx, r)
	if err != nil {
		return Opened{}, c.wrong(err, "open pull request from %s", r.Branch)
	}
	return opened, nil
}

func (c *Client) open(ctx context.Context, r OpenRequest) (Opened, error) {
	if !r.Fresh {
		opened, before, err := c.adopt(ctx, r)
		switch {
		case err != nil || opened.Pull != 0:
			return opened, err
		case before.Branch != "":
			return c.openPull(ctx, r)
		}
	}
	opened, tryErr := c.openBoth(ctx, r)
	if tryErr == nil {
		return opened, nil
	}
	opened, after, err := c.adopt(ctx, r)
	switch {
	case err != nil || opened.Pull != 0:
		return opened, err
	case after.Branch == "":
		return Opened{}, tryErr
	}
	return c.openPull(ctx, r)
}

// madePull is a pull request in the answer to a mutation.
type madePull struct {
	PullRequest *struct {
		Number     int           `json:"number"`
		URL        string        `json:"url"`
		HeadRefOID promotion.SHA `json:"headRefOid"`
	} `json:"pullRequest"`
}

// openBoth makes branch and pull request. GitHub carries both fields out even if the first fails: then the pull request
// is one from somebody else's branch, and is closed again.
func (c *Client) openBoth(ctx context.Context, r OpenRequest) (Opened, error) {
	id, err := c.nodeID(ctx)
	if err != nil {
		return Opened{}, err
	}
	if err := c.installation.gate.create(); err != nil {
		return Opened{}, err
	}
	const document = `mutation Open($ref: CreateRefInput!, $pull: CreatePullRequestInput!) {
  createRef(input: $ref) { ref { name } }
  createPullRequest(input: $pull) { pullRequest { number url headRefOid } }
}`
	variables := map[string]any{
		"pull": r.pullInput(id),
		"ref":  githubv4.CreateRefInput{RepositoryID: id, Name: githubv4.String("refs/heads/" + r.Branch), Oid: githubv4.GitObjectID(r.Head)},
	}
	var answer struct {
		Made madePull `json:"createPullRequest"`
	}
	err = c.ask(ctx, document, variables, &answer)
	pull := answer.Made.PullRequest
	switch {
	case pull == nil && err == nil:
		return Opened{}, transient(0, "GitHub does not show the pull request that it made", nil)
	case pull == nil:
		return Opened{}, err
	case pull.HeadRefOID != r.Head:
		return Opened{}, errors.Join(refused("branch %s points to %s and not to %s", r.Branch, pull.HeadRefOID, r.Head), c.shut(ctx, pull.Number))
	}
	return Opened{Pull: pull.Number, URL: pull.URL, State: promotion.PullOpen}, nil
}

// openPull makes the pull request alone, from the branch that is there.
func (c *Client) openPull(ctx context.Context, r OpenRequest) (Opened, error) {
	id, err := c.nodeID(ctx)
	if err != nil {
		return Opened{}, err
	}
	if err := c.installation.gate.create(); err != nil {
		return Opened{}, err
	}
	const document = `mutation OpenPull($pull: CreatePullRequestInput!) { createPullRequest(input: $pull) { pullRequest { number url headRefOid } } }`
	var answer struct {
		Made madePull `json:"createPullRequest"`
	}
	err = c.ask(ctx, document, map[string]any{"pull": r.pullInput(id)}, &answer)
	if pull := answer.Made.PullRequest; err == nil && pull != nil {
		return Opened{Pull: pull.Number, URL: pull.URL, State: promotion.PullOpen}, nil
	}
	if opened, _, lookErr := c.adopt(ctx, r); lookErr != nil || opened.Pull != 0 {
		return opened, lookErr
	}
	if err == nil {
		err = transient(0, "GitHub does not show the pull request that it made", nil)
	}
	return Opened{}, err
}

func (r OpenRequest) pullInput(repository githubv4.ID) githubv4.CreatePullRequestInput {
	return githubv4.CreatePullRequestInput{
		RepositoryID: repository,
		BaseRefName:  githubv4.String(r.Base),
		HeadRefName:  githubv4.String(r.Branch),
		Title:        githubv4.String(clip(r.Title, maxTitle)),
		Body:         githubv4.NewString(githubv4.String(marked(r.Body, r.Marker))),
	}
}
