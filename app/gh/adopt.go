package gh

import (
	"context"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

// traces are the branch and the pull request that exist under a name.
type traces struct {
	Branch promotion.SHA // its head; empty if it does not exist
	Pulls  []tracedPull  // from it, the newest first
}

// tracedPull is a pull request from a branch.
type tracedPull struct {
	ID                string        `json:"id"`
	Number            int           `json:"number"`
	URL               string        `json:"url"`
	State             string        `json:"state"`
	HeadRefOID        promotion.SHA `json:"headRefOid"`
	Body              string        `json:"body"`
	UpdatedAt         time.Time     `json:"updatedAt"`
	IsCrossRepository bool          `json:"isCrossRepository"`
	Author            *struct {
		Kind  string `json:"__typename"`
		Login string `json:"login"`
	} `json:"author"`
}

// pullStates are the states of a pull request in GraphQL, in our letters.
var pullStates = []promotion.PullState{promotion.PullOpen, promotion.PullClosed, promotion.PullMerged}

// by reports whether an App's bot wrote it. In GraphQL its login is the slug.
func (p tracedPull) by(self Self) bool {
	return p.Author != nil && p.Author.Kind == "Bot" &&
		strings.EqualFold(strings.TrimSuffix(p.Author.Login, "[bot]"), self.Slug)
}

// adopt looks for traces of an earlier try. It returns the pull request if it is ours, no pull request if there is none
// (then the branch, if there is one, points where it should), and ErrRefused if something else has the name.
func (pl Pulls) adopt(ctx context.Context, r OpenRequest) (Opened, traces, error) {
	self, err := pl.c.self(ctx)
	if err != nil {
		return Opened{}, traces{}, err
	}
	found, err := pl.traces(ctx, r.Branch)
	if err != nil {
		return Opened{}, traces{}, err
	}
	for _, p := range found.Pulls {
		state := promotion.PullState(strings.ToLower(p.State))
		switch {
		case p.IsCrossRepository: // a fork's branch of the same name
		case p.Number <= 0 || !slices.Contains(pullStates, state):
			return Opened{}, found, incomplete("a pull request")
		case !p.by(self) || !strings.Contains(p.Body, r.Marker):
			return Opened{}, found, refused("pull request #%d from branch %s is not ours", p.Number, r.Branch)
		case p.HeadRefOID != r.Head:
			return Opened{}, found, refused("pull request #%d contains %s and not %s", p.Number, p.HeadRefOID, r.Head)
		default:
			return Opened{
				Pull: p.Number, Node: p.ID, URL: p.URL, State: state, Updated: p.UpdatedAt.UTC(), Adopted: true,
			}, found, nil
		}
	}
	if found.Branch != "" && found.Branch != r.Head {
		return Opened{}, found, refused("branch %s points to %s and not to %s", r.Branch, found.Branch, r.Head)
	}
	return Opened{}, found, nil
}

// traces asks for a branch and the pull requests from it.
func (pl Pulls) traces(ctx context.Context, branch string) (traces, error) {
	const document = `query Traces($owner: String!, $name: String!, $branch: String!, $ref: String!) {
  repository(owner: $owner, name: $name) {
    id
    ref(qualifiedName: $ref) { target { oid } }
    pullRequests(headRefName: $branch, first: 10, orderBy: {field: CREATED_AT, direction: DESC}) {
      nodes { id number url state headRefOid updatedAt body isCrossRepository author { __typename login } }
    }
  }
}`
	variables := map[string]any{"owner": pl.c.owner, "name": pl.c.name, "branch": branch, "ref": "refs/heads/" + branch}
	var answer struct {
		Repository *struct {
			ID  string `json:"id"`
			Ref *struct {
				Target struct {
					OID promotion.SHA `json:"oid"`
				} `json:"target"`
			} `json:"ref"`
			PullRequests struct {
				Nodes []tracedPull `json:"nodes"`
			} `json:"pullRequests"`
		} `json:"repository"`
	}
	if err := pl.c.graph.ask(ctx, document, variables, &answer); err != nil {
		return traces{}, err
	}
	if answer.Repository == nil {
		return traces{}, noAccess("GitHub shows no such repository", nil)
	}
	pl.c.node.Store(&answer.Repository.ID)
	found := traces{Pulls: answer.Repository.PullRequests.Nodes}
	if ref := answer.Repository.Ref; ref != nil {
		found.Branch = ref.Target.OID
	}
	return found, nil
}
