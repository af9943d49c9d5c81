package githubsim

import (
	"net/http"
)

func reviewRoutes(t *table) {
	t.with("pull_requests:read", "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews", listReviews)
	t.with("pull_requests:write", "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews", createReview)
	t.with("pull_requests:read", "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", showReview)
	t.with("pull_requests:write", "PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals", dismissReview)
	t.with("pull_requests:read", "GET /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", listRequested)
	t.with("pull_requests:write", "POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", requestReviewers)
	t.with("pull_requests:write", "DELETE /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", unrequestReviewers)
}

func listReviews(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	return list(c, p.reviews, func(one *review) any { return c.Render.Review(c.repo, p, one) }), nil
}

func createReview(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	var in struct{ Body, Event string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	states := map[string]string{"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED", "": "PENDING"}
	if in.Body == "" && (in.Event == "REQUEST_CHANGES" || in.Event == "COMMENT") {
		return reply{}, invalid("Unprocessable Entity")
	}
	one, err := c.Pulls.Review(c.repo, p, c.who.account, states[in.Event], in.Body)
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.Review(c.repo, p, one)), nil
}

func (c *call) review() (*pull, *review, error) {
	p, err := c.pull()
	if err != nil {
		return nil, nil, err
	}
	id, err := c.id("review_id")
	if err != nil {
		return nil, nil, err
	}
	for _, one := range p.reviews {
		if one.id == id {
			return p, one, nil
		}
	}
	return nil, nil, notFound()
}

func showReview(c *call) (reply, error) {
	p, one, err := c.review()
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.Review(c.repo, p, one)), nil
}

func dismissReview(c *call) (reply, error) {
	p, one, err := c.review()
	if err != nil {
		return reply{}, err
	}
	if err := c.Pulls.Dismiss(c.repo, p, one, c.who.account); err != nil {
		return reply{}, err
	}
	return ok(c.Render.Review(c.repo, p, one)), nil
}

func listRequested(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	return ok(obj{"users": renderAll(p.requested, func(a *account) any { return c.Render.Account(a) }), "teams": []any{}}), nil
}

func (c *call) reviewers() (*pull, []*account, error) {
	p, err := c.pull()
	if err != nil {
		return nil, nil, err
	}
	var in struct {
		Reviewers     []string
		TeamReviewers []string `json:"team_reviewers"`
	}
	if err := c.decode(&in); err != nil {
		return nil, nil, err
	}
	var people []*account
	for _, login := range in.Reviewers {
		a, found := c.Accounts.Find(login)
		if !found || levelRank(c.repo.level(a)) < levelRank("read") {
			return nil, nil, invalid("Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the %s repository.", c.repo.fullName())
		}
		if a == p.author {
			return nil, nil, invalid("Review cannot be requested from pull request author.")
		}
		people = append(people, a)
	}
	return p, people, nil
}

func requestReviewers(c *call) (reply, error) {
	p, people, err := c.reviewers()
	if err != nil {
		return reply{}, err
	}
	c.Pulls.RequestReviews(c.repo, p, people, c.who.account)
	return reply{status: http.StatusCreated, body: c.Render.Pull(c.repo, p, false)}, nil
}

func unrequestReviewers(c *call) (reply, error) {
	p, people, err := c.reviewers()
	if err != nil {
		return reply{}, err
	}
	c.Pulls.UnrequestReviews(c.repo, p, people, c.who.account)
	return ok(c.Render.Pull(c.repo, p, false)), nil
}
