package gh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
)

const (
	// pullsPerQuery is how many pull requests one query asks about.
	pullsPerQuery = 100
	// looks is how often pull requests are read until GitHub has worked out whether they fit their base.
	looks = 5
	// firstLook is the pause before the second look; each further one is twice as long.
	firstLook = 100 * time.Millisecond
)

// ReadAll reads pull requests. GitHub works out whether an open one fits its base in the background, beginning when it
// is asked, so they are read again until GitHub knows. One query asks about a hundred pull requests; each that is not
// open any more takes a request of its own. If some cannot be read, ReadAll returns the others and the error, which is
// ErrTransient if GitHub needs longer.
func (pl Pulls) ReadAll(ctx context.Context, numbers []int) (all []promotion.Pull, err error) {
	var ended []int
	pause := firstLook
	for n := 1; n <= looks && len(numbers) > 0; n++ {
		if n > 1 {
			if err := pl.c.hub.nap(ctx, pause); err != nil {
				return all, pl.c.wrong(err, "read %d pull requests", len(numbers))
			}
			pause *= 2
		}
		var unknown []int
		err = inPortions(ctx, pl.c, "Pulls", pullsPerQuery, numbers, func(some []int) error {
			nodes, err := pl.nodes(ctx, some)
			for i, node := range nodes {
				switch {
				case node == nil || node.State != "OPEN":
					ended = append(ended, some[i])
				case node.Mergeable == "UNKNOWN":
					unknown = append(unknown, some[i])
				default:
					all = append(all, pl.stillOpen(some[i], node))
				}
			}
			return err
		})
		if err != nil {
			return all, pl.c.wrong(err, "read %d pull requests", len(numbers))
		}
		numbers = unknown
	}
	if len(numbers) > 0 {
		err = pl.c.wrong(transient(5*time.Second, "GitHub does not know yet whether they fit their base", nil),
			"read %d pull requests", len(numbers))
	}
	for _, number := range ended {
		pull, failed := pl.Read(ctx, number)
		if err = errors.Join(err, failed); failed == nil {
			all = append(all, pull)
		}
	}
	return all, err
}

// pullNode is a pull request as GraphQL tells of it.
type pullNode struct {
	State     string        `json:"state"`
	Mergeable string        `json:"mergeable"`
	Head      string        `json:"headRefName"`
	HeadSHA   promotion.SHA `json:"headRefOid"`
	Base      string        `json:"baseRefName"`
	URL       string        `json:"url"`
	Updated   time.Time     `json:"updatedAt"`
}

const pullFields = "{ state mergeable headRefName headRefOid baseRefName url updatedAt }"

// nodes reads pull requests in one query. One that is not there is nil.
func (pl Pulls) nodes(ctx context.Context, numbers []int) ([]*pullNode, error) {
	variables := map[string]any{"owner": pl.c.owner, "name": pl.c.name}
	declared, asked := "$owner: String!, $name: String!", ""
	for i, number := range numbers {
		variables[fmt.Sprintf("p%d", i)] = number
		declared += fmt.Sprintf(", $p%d: Int!", i)
		asked += fmt.Sprintf(" p%d: pullRequest(number: $p%d) %s", i, i, pullFields)
	}
	var answer struct {
		Repository map[string]*pullNode `json:"repository"`
	}
	document := "query Pulls(" + declared + ") { repository(owner: $owner, name: $name) {" + asked + " } }"
	failures, err := pl.c.graph.send(ctx, document, variables, &answer)
	if err != nil {
		return nil, err
	}
	if left := slices.DeleteFunc(failures, isGone); len(left) > 0 {
		return nil, pl.c.graph.failure(ctx, left)
	}
	if answer.Repository == nil {
		return nil, noAccess("GitHub shows no such repository", nil)
	}
	nodes := make([]*pullNode, len(numbers))
	for i := range numbers {
		nodes[i] = answer.Repository[fmt.Sprintf("p%d", i)]
		if n := nodes[i]; n != nil && n.State == "OPEN" && (n.HeadSHA == "" || n.Base == "" || n.Mergeable == "") {
			return nil, incomplete("a pull request")
		}
	}
	return nodes, nil
}

// isGone reports whether a failure is that of one thing in a repository, which is not there.
func isGone(e graphQLError) bool { return e.Type == "NOT_FOUND" && len(e.Path) > 1 }

// stillOpen returns an open pull request as a fact.
func (pl Pulls) stillOpen(number int, n *pullNode) promotion.Pull {
	return promotion.Pull{
		Repo: pl.c.repo, Number: number, Head: n.Head, HeadSHA: n.HeadSHA, Base: n.Base, State: promotion.PullOpen,
		URL: n.URL, Conflicts: n.Mergeable == "CONFLICTING", Updated: n.Updated.UTC(),
	}
}
