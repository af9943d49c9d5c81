package gh

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/google/go-github/v60/github"
	"github.com/shurcooL/githubv4"

	"waybill/promotion"
)

// Client asks about and writes to one repository, as the App. It has a handle for each kind of thing there,
// and is safe for concurrent use.
type Client struct {
	Branches Branches
	Commits  Commits
	Files    Files
	Tags     Tags
	Releases Releases

	Pulls      Pulls
	MergeQueue MergeQueue
	Comments   Comments
	Labels     Labels

	Signals   Signals
	Surfaces  Surfaces
	Workflows Workflows

	Rules  Rules
	People People

	graph graph

	hub          *Hub
	installation *installationState // nil: whichever reaches the repository
	repo         promotion.Repo
	owner, name  string
	http         *http.Client
	rest         *github.Client
	node         atomic.Pointer[string] // the repository's id in GraphQL, once it is known
}

// newClient returns a client for a repository that sends its requests over a client for HTTP. The installation is nil
// if it is whichever reaches the repository.
func (h *Hub) newClient(i *installationState, repo promotion.Repo, over *http.Client) *Client {
	owner, name, _ := strings.Cut(string(repo), "/")
	c := &Client{hub: h, installation: i, repo: repo, owner: owner, name: name, http: over, rest: h.rest(over)}
	c.Branches, c.Commits, c.Files, c.Tags, c.Releases = Branches{c}, Commits{c}, Files{c}, Tags{c}, Releases{c}
	c.Pulls, c.MergeQueue, c.Comments, c.Labels = Pulls{c}, MergeQueue{c}, Comments{c}, Labels{c}
	c.Signals, c.Surfaces, c.Workflows = Signals{c}, Surfaces{c}, Workflows{c}
	c.Rules, c.People = Rules{c}, People{c}
	c.graph = graph{c}
	return c
}

// The handles of a client, each with one reason. The functions of each stand in files named after what they do.
type (
	// Branches know where branches are and how they came there, and move them from where they were left.
	Branches struct{ c *Client }
	// Commits know what commits change and contain, and who has made them, and make new ones that nobody sees yet.
	Commits struct{ c *Client }
	// Files have what the files of branches and commits say, and what folders contain.
	Files struct{ c *Client }
	// Tags have the tags, with their commits and who has made them.
	Tags struct{ c *Client }
	// Releases have the published releases, with their commits and who has made them.
	Releases struct{ c *Client }
	// Pulls are pull requests: those of people are read, those of ours are opened, merged and closed as well.
	Pulls struct{ c *Client }
	// MergeQueue has the pull requests that GitHub merges when it is their turn.
	MergeQueue struct{ c *Client }
	// Comments are texts on issues and pull requests, and the reactions to them.
	Comments struct{ c *Client }
	// Labels are those of pull requests.
	Labels struct{ c *Client }
	// Signals are what others report of commits: check runs, statuses and deployments.
	Signals struct{ c *Client }
	// Surfaces are what we show people, and what promotions have left.
	Surfaces struct{ c *Client }
	// Workflows are started by promotions, and have jobs that ask whether they may deploy.
	Workflows struct{ c *Client }
	// Rules are what GitHub demands of those who change branches.
	Rules struct{ c *Client }
	// People are accounts of GitHub, and what these may do in the repository.
	People struct{ c *Client }
	// graph sends documents of GraphQL, and says why GitHub has refused fields of them.
	graph struct{ c *Client }
)

// wrong says which operation failed, and where, and gives the error its class.
func (c *Client) wrong(err error, what string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s of %s: %w", fmt.Sprintf(what, args...), c.repo, classify(err))
}

// self returns our App, which GitHub was asked for once.
func (c *Client) self(ctx context.Context) (Self, error) { return c.hub.Self(ctx) }

// nodeID returns the id by which GraphQL knows the repository. It never changes; every read brings it along.
func (c *Client) nodeID(ctx context.Context) (githubv4.ID, error) {
	if id := c.node.Load(); id != nil {
		return *id, nil
	}
	_, err := c.Files.readHead(ctx, "", nil)
	if id := c.node.Load(); id != nil { // it is known also where the contents may not be read
		return *id, nil
	}
	return nil, err
}
