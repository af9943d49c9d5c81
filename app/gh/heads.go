package gh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"waybill/promotion"
)

// Head asks where a branch is; empty if there is none. The answer costs nothing while a token lasts and it has not
// changed.
func (br Branches) Head(ctx context.Context, branch string) (promotion.SHA, error) {
	ref, _, err := br.c.rest.Git.GetRef(ctx, br.c.owner, br.c.name, "heads/"+branch)
	if errors.Is(classify(err), ErrNotFound) {
		return "", br.c.lost(ctx)
	}
	return promotion.SHA(ref.GetObject().GetSHA()), br.c.wrong(err, "read the head of %s", branch)
}

// Heads returns commits that were heads of a branch, in the order in which they are given, without those that do not
// exist any more. One query asks about fifty commits.
func (cm Commits) Heads(ctx context.Context, commits []promotion.SHA) ([]promotion.Head, error) {
	var heads []promotion.Head
	if len(commits) == 0 {
		return nil, nil
	}
	err := inPortions(ctx, cm.c, "Heads", commitsPerQuery, commits, func(some []promotion.SHA) error {
		part, err := cm.headPart(ctx, some)
		heads = append(heads, part...)
		return err
	})
	return heads, cm.c.wrong(err, "read %d commits", len(commits))
}

func (cm Commits) headPart(ctx context.Context, commits []promotion.SHA) (heads []promotion.Head, err error) {
	document, variables := cm.c.graph.ofCommits("Heads", commits, "head", headFields)
	var answer struct {
		Repository map[string]*headNode `json:"repository"`
	}
	if err := cm.c.graph.ask(ctx, document, variables, &answer); err != nil {
		return nil, err
	}
	if answer.Repository == nil {
		return nil, noAccess("GitHub shows no such repository", nil)
	}
	for i, sha := range commits {
		n := answer.Repository[fmt.Sprintf("c%d", i)]
		switch {
		case n == nil || n.OID == "": // it is not there, or no commit
		case n.OID != sha || n.CommittedDate.IsZero() || n.History.TotalCount <= 0:
			return nil, incomplete("a commit")
		default:
			heads = append(heads, promotion.Head{
				SHA: sha, At: n.CommittedDate.UTC(), Count: n.History.TotalCount, Title: n.Headline, Author: n.Author.User.actor(),
			})
		}
	}
	return heads, nil
}

const headFields = `
fragment head on Commit {
  oid committedDate messageHeadline author { user { databaseId login } } history(first: 1) { totalCount } }`

type headNode struct {
	OID           promotion.SHA `json:"oid"`
	CommittedDate time.Time     `json:"committedDate"`
	Headline      string        `json:"messageHeadline"`
	Author        struct {
		User author `json:"user"`
	} `json:"author"`
	History counted `json:"history"`
}
