package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"waybill/promotion"
)

// mostPushers is how many pushes to the branch of a pull request are read for who made them.
const mostPushers = 100

// headOf is the branch of a pull request.
type headOf struct {
	Name string        `json:"headRefName"`
	OID  promotion.SHA `json:"headRefOid"`
	Repo *struct {
		FullName promotion.Repo `json:"nameWithOwner"`
	} `json:"headRepository"`
}

// branchFields are the fields of a pull request that headOf reads.
const branchFields = `headRefName headRefOid headRepository { nameWithOwner }`

// push is an entry in GitHub's list of the changes of a branch, newest first.
type push struct {
	Before promotion.SHA `json:"before"`
	After  promotion.SHA `json:"after"`
	Kind   string        `json:"activity_type"`
	Actor  *struct {
		ID    int64           `json:"id"`
		Login promotion.Login `json:"login"`
		Kind  string          `json:"type"`
	} `json:"actor"`
}

// pushersOf reads who has pushed to the branch of a pull request, from the head that it has, or had when it was merged,
// back to what brought its oldest commit. The author and the committer of a commit are texts, and whoever pushes it
// chooses them. A bot that pushes to its own pull request is nobody who could sign it off.
func (c *Client) pushersOf(
	ctx context.Context, at headOf, author *who, commits map[promotion.SHA]bool,
) ([]promotion.Hand, error) {
	unknown := func(text string, args ...any) []promotion.Hand {
		return []promotion.Hand{{Part: promotion.PullPusherPart, Text: fmt.Sprintf(text, args...)}}
	}
	if at.Repo == nil {
		return unknown("the repository of its branch %s is gone", at.Name), nil
	}
	all, err := c.activity(ctx, at)
	switch {
	case errors.Is(err, ErrRefused):
		return unknown("GitHub does not show who pushed to %s of %s", at.Name, at.Repo.FullName), nil
	case err != nil:
		return nil, err
	}
	theirs, complete := ledTo(all, at.OID, commits)
	if !complete {
		return unknown("GitHub does not show all pushes to %s of %s", at.Name, at.Repo.FullName), nil
	}
	var hands []promotion.Hand
	known := map[int64]bool{}
	for _, p := range theirs {
		switch {
		case p.Actor == nil:
			return unknown("the account that pushed %s is gone", p.After[:min(7, len(p.After))]), nil
		case known[p.Actor.ID]:
			continue
		}
		known[p.Actor.ID] = true
		bot := p.Actor.Kind == "Bot"
		if bot && author != nil && author.DatabaseID == p.Actor.ID {
			continue
		}
		hands = append(hands, promotion.HandOf(promotion.PullPusherPart,
			promotion.Actor{ID: p.Actor.ID, Login: p.Actor.Login}, bot))
	}
	return hands, nil
}

// activity lists the newest changes of a branch.
func (c *Client) activity(ctx context.Context, at headOf) (all []push, err error) {
	query := url.Values{"ref": {"refs/heads/" + at.Name}, "per_page": {fmt.Sprint(mostPushers)}}
	request, err := c.rest.NewRequest(http.MethodGet,
		fmt.Sprintf("repos/%s/activity?%s", at.Repo.FullName, query.Encode()), nil)
	if err == nil {
		_, err = c.rest.Do(ctx, request, &all)
	}
	return all, c.wrong(err, "list the pushes to %s", at.Name)
}

// ledTo returns the pushes that have led to a head, the newest first, and whether these are all of them: the oldest
// one made the branch, or came upon a commit that the pull request does not have. Where the branch was forced
// elsewhere, it may have been forced back, so only the push that made it is the oldest one then.
func ledTo(all []push, head promotion.SHA, commits map[promotion.SHA]bool) (theirs []push, complete bool) {
	forced := false
	for _, p := range all {
		if p.After != head {
			if len(theirs) > 0 {
				return theirs, false
			}
			continue // a later change of the branch
		}
		theirs = append(theirs, p)
		forced = forced || p.Kind == "force_push"
		head = p.Before
		if strings.Trim(string(head), "0") == "" || !forced && !commits[head] {
			return theirs, true
		}
	}
	return theirs, false
}
