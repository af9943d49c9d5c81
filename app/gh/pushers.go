package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"waybill/promotion"
)

// mostPushers is how many pushes are read for who made them.
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

// merged reports whether it is the merge of a pull request.
func (p *push) merged() bool { return p.Kind == "pr_merge" || p.Kind == "merge_queue_merge" }

// pushersOf reads who has pushed to the branch of a pull request, from the head that it has, or had when it was merged,
// back to what brought its oldest commit. The author and the committer of a commit are texts, and whoever pushes it
// chooses them. A bot that pushes to its own pull request is nobody who could sign it off.
func (m *makers) pushersOf(
	ctx context.Context, at headOf, author *who, commits map[promotion.SHA]bool,
) ([]promotion.Hand, error) {
	unknown := func(text string, args ...any) []promotion.Hand {
		return []promotion.Hand{{Part: promotion.PullPusherPart, Text: fmt.Sprintf(text, args...)}}
	}
	if at.Repo == nil {
		return unknown("the repository of its branch %s is gone", at.Name), nil
	}
	all, err := m.activity(ctx, at.Repo.FullName, at.Name)
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
		case p.merged() && m.left == 0:
			return append(hands, unknown("more than %d pull requests were merged into its branch", mostStacked)...), nil
		case p.merged():
			m.left--
			more, err := m.ofCommit(ctx, at.Repo.FullName, p.After)
			if err != nil {
				return nil, err
			}
			for _, hand := range more.All {
				if hand.Part == promotion.CommitPusherPart {
					hand.Part = promotion.PullPusherPart // of a commit on its branch, and not of the freight
				}
				hands = append(hands, hand)
			}
			continue
		case p.Actor == nil:
			return append(hands, unknown("the account that pushed %s is gone", short(p.After))...), nil
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

// pushersAt reads who has brought a commit that no pull request was merged as: whoever pushed it, to the default branch
// and to any, as far back as GitHub lists that.
func (m *makers) pushersAt(
	ctx context.Context, repo promotion.Repo, commit promotion.SHA, branch string,
) (hands []promotion.Hand, err error) {
	for _, at := range []string{branch, ""} {
		all, err := m.activity(ctx, repo, at)
		if err != nil && !errors.Is(err, ErrRefused) {
			return nil, err
		}
		for _, p := range all {
			if p.After != commit {
				continue
			}
			if hand := p.bringer(); !slices.Contains(hands, hand) {
				hands = append(hands, hand)
			}
		}
	}
	if len(hands) == 0 {
		hands = []promotion.Hand{{Part: promotion.CommitPusherPart,
			Text: fmt.Sprintf("GitHub does not show who pushed commit %s", short(commit))}}
	}
	return hands, nil
}

// bringer returns who has brought the commit that a push ended with, or why that is not known.
func (p *push) bringer() promotion.Hand {
	hand := promotion.Hand{Part: promotion.CommitPusherPart}
	switch {
	case p.merged():
		hand.Text = fmt.Sprintf("GitHub does not show the pull request that was merged as commit %s", short(p.After))
	case p.Actor == nil:
		hand.Text = fmt.Sprintf("the account that pushed commit %s is gone", short(p.After))
	default:
		return promotion.HandOf(hand.Part, promotion.Actor{ID: p.Actor.ID, Login: p.Actor.Login}, p.Actor.Kind == "Bot")
	}
	return hand
}

// activity lists the newest changes of a branch, or of all branches if it is empty.
func (m *makers) activity(ctx context.Context, repo promotion.Repo, branch string) (all []push, err error) {
	query := url.Values{"per_page": {fmt.Sprint(mostPushers)}}
	if branch != "" {
		query.Set("ref", "refs/heads/"+branch)
	}
	request, err := m.rest.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/activity?%s", repo, query.Encode()), nil)
	if err == nil {
		_, err = m.rest.Do(ctx, request, &all)
	}
	return all, m.wrong(err, "list the pushes to %s", repo)
}

// ledTo returns the pushes that have led to a head, the newest first, and whether these are all of them: the oldest
// one made the branch, or came upon a commit that the pull request does not have. Where the branch was forced
// elsewhere, it may have been forced back, so only the push that made it is the oldest one then. A branch that was
// deleted, and made anew at the same commit, is still the one that it was.
func ledTo(all []push, head promotion.SHA, commits map[promotion.SHA]bool) (theirs []push, complete bool) {
	forced := false
	for i, p := range all {
		if p.After != head {
			if len(theirs) > 0 && !none(p.After) {
				return theirs, false
			}
			continue // the branch was changed later, or deleted
		}
		theirs = append(theirs, p)
		forced = forced || p.Kind == "force_push"
		switch {
		case !none(p.Before):
			head = p.Before
			if !forced && !commits[head] {
				return theirs, true
			}
		case i+1 == len(all):
			return theirs, len(all) < mostPushers
		case all[i+1].Before != head:
			return theirs, true
		}
	}
	return theirs, false
}

// short is a SHA as people write it.
func short(s promotion.SHA) promotion.SHA { return s[:min(7, len(s))] }

// none reports whether a SHA stands for no commit, as it does where a branch is made or deleted.
func none(s promotion.SHA) bool { return strings.Trim(string(s), "0") == "" }
