package gh

import (
	"context"
	"errors"
	"time"

	"github.com/shurcooL/githubv4"

	"waybill/promotion"
)

// OpenRequest is a branch and the pull request from it, both of which have names that nothing else has.
type OpenRequest struct {
	Branch string        // waybill/<stage>/<freight>/<promotion>, or with the pipeline (promotion.Pipeline.Prefix)
	Head   promotion.SHA // the commit that was made before
	Base   string
	Title  string
	Body   string // without the marker, which is added
	Marker string // <!-- waybill:promotion=4711/7 -->
	// Fresh says that there was no earlier try, so that there is no need to look for its traces.
	Fresh bool
}

// Opened is the pull request that is there now.
type Opened struct {
	Pull    int
	Node    string // its id in GitHub's GraphQL
	URL     string
	State   promotion.PullState // not open: it was found, and a person was faster
	Updated time.Time           // when GitHub last changed it
	Adopted bool                // it was found, not made
}

// Open makes a commit visible: one branch and one pull request, in one request. Those that exist already are adopted if
// they are ours: written by our App, with the marker and the head. A name that exists and does not match is ErrRefused,
// and is left as it is. After an error or a lost answer it looks for traces and makes the missing half.
func (pl Pulls) Open(ctx context.Context, r OpenRequest) (Opened, error) {
	if len(r.Branch) > maxBranch {
		return Opened{}, pl.c.wrong(refused("branch %s has too long a name", r.Branch), "open pull request")
	}
	opened, err := pl.openPull(ctx, r)
	if err != nil {
		return Opened{}, pl.c.wrong(err, "open pull request from %s", r.Branch)
	}
	return opened, nil
}

func (pl Pulls) openPull(ctx context.Context, r OpenRequest) (opened Opened, err error) {
	var found traces
	if !r.Fresh {
		if opened, found, err = pl.adopt(ctx, r); err != nil || opened.Pull != 0 {
			return opened, err
		}
	}
	opened, tried := pl.publish(ctx, r, found.Branch)
	if tried == nil || ClassOf(tried) == ClassThrottled {
		return opened, tried
	}
	opened, now, err := pl.adopt(ctx, r)
	switch {
	case err != nil || opened.Pull != 0:
		return opened, err
	case now.Branch == "" || found.Branch != "": // what was missing is missing still
		return Opened{}, tried
	}
	return pl.publish(ctx, r, now.Branch) // the branch is there now, the pull request is not
}

// publish makes the pull request, and before it the branch, unless that is there already. GitHub carries both fields
// out even if the first fails. A pull request from another commit is one from another person's work, and is closed
// again.
func (pl Pulls) publish(ctx context.Context, r OpenRequest, branch promotion.SHA) (Opened, error) {
	if err := pl.c.graph.lacks(ctx, fieldNeeds["createPullRequest"]); err != nil {
		return Opened{}, err
	}
	if err := pl.c.graph.lacks(ctx, fieldNeeds["createRef"]); err != nil && branch == "" {
		return Opened{}, err
	}
	id, err := pl.c.nodeID(ctx)
	if err != nil {
		return Opened{}, err
	}
	declared, first := "", ""
	variables := map[string]any{"pull": r.pullInput(id)}
	if branch == "" {
		declared, first = "$ref: CreateRefInput!, ", "\n  createRef(input: $ref) { ref { name } }"
		variables["ref"] = githubv4.CreateRefInput{
			RepositoryID: id, Name: githubv4.String("refs/heads/" + r.Branch), Oid: githubv4.GitObjectID(r.Head),
		}
	}
	var answer struct {
		Created struct {
			Pull *struct {
				ID         string        `json:"id"`
				Number     int           `json:"number"`
				URL        string        `json:"url"`
				HeadRefOID promotion.SHA `json:"headRefOid"`
				UpdatedAt  time.Time     `json:"updatedAt"`
			} `json:"pullRequest"`
		} `json:"createPullRequest"`
	}
	err = pl.c.create(ctx, func() error {
		return pl.c.graph.ask(ctx, "mutation Open("+declared+"$pull: CreatePullRequestInput!) {"+first+`
  createPullRequest(input: $pull) { pullRequest { id number url headRefOid updatedAt } }
}`, variables, &answer)
	})
	pull := answer.Created.Pull
	switch {
	case (pull == nil || pull.Number <= 0) && err == nil:
		return Opened{}, incomplete("the pull request that it made")
	case pull == nil || pull.Number <= 0:
		return Opened{}, err
	case pull.HeadRefOID != r.Head:
		foreign := refused("branch %s points to %s and not to %s", r.Branch, pull.HeadRefOID, r.Head)
		return Opened{}, errors.Join(foreign, pl.shut(ctx, pull.Number))
	}
	return Opened{
		Pull: pull.Number, Node: pull.ID, URL: pull.URL, State: promotion.PullOpen, Updated: pull.UpdatedAt.UTC(),
	}, nil
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
