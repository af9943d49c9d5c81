package rest

import (
	"net/http"

	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

func reviewRoutes(t *table) {
	t.with("pull_requests:read", "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews", listReviews)
	t.with("pull_requests:write", "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews", createReview)
	t.with("pull_requests:read", "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", showReview)
	t.with("pull_requests:write", "PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals",
		dismissReview)
	t.with("pull_requests:read", "GET /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", listRequested)
	t.with("pull_requests:write", "POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", requestReviewers)
	t.with("pull_requests:write", "DELETE /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers",
		unrequestReviewers)
}

func listReviews(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	return list(c, p.Reviews, func(one *hub.Review) any { return c.Render.Review(c.repo, p, one) }), nil
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
	states := map[string]string{
		"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED", "": "PENDING",
	}
	if in.Body == "" && (in.Event == "REQUEST_CHANGES" || in.Event == "COMMENT") {
		return reply{}, hub.Invalid("Unprocessable Entity")
	}
	one, err := c.Pulls.Review(c.repo, p, c.who.Account, states[in.Event], in.Body)
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.Review(c.repo, p, one)), nil
}

func (c *call) review() (*hub.Pull, *hub.Review, error) {
	p, err := c.pull()
	if err != nil {
		return nil, nil, err
	}
	id, err := c.id("review_id")
	if err != nil {
		return nil, nil, err
	}
	for _, one := range p.Reviews {
		if one.ID == id {
			return p, one, nil
		}
	}
	return nil, nil, hub.NotFound()
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
	if err := c.Pulls.Dismiss(c.repo, p, one, c.who.Account); err != nil {
		return reply{}, err
	}
	return ok(c.Render.Review(c.repo, p, one)), nil
}

func listRequested(c *call) (reply, error) {
	p, err := c.pull()
	if err != nil {
		return reply{}, err
	}
	return ok(obj{
		"users": render.List(p.Requested, func(a *hub.Account) any { return c.Render.Account(a) }), "teams": []any{},
	}), nil
}

func (c *call) reviewers() (*hub.Pull, []*hub.Account, error) {
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
	var people []*hub.Account
	for _, login := range in.Reviewers {
		a, found := c.Accounts.Find(login)
		if !found || hub.LevelRank(c.repo.Level(a)) < hub.LevelRank("read") {
			return nil, nil,
				hub.Invalid("Reviews may only be requested from collaborators. One or more of the users or teams you specified "+
					"is not a collaborator of the %s repository.", c.repo.FullName())
		}
		if a == p.Author {
			return nil, nil, hub.Invalid("Review cannot be requested from pull request author.")
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
	c.Pulls.RequestReviews(c.repo, p, people, c.who.Account)
	return reply{Status: http.StatusCreated, Body: c.Render.Pull(c.repo, p, false)}, nil
}

func unrequestReviewers(c *call) (reply, error) {
	p, people, err := c.reviewers()
	if err != nil {
		return reply{}, err
	}
	c.Pulls.UnrequestReviews(c.repo, p, people, c.who.Account)
	return ok(c.Render.Pull(c.repo, p, false)), nil
}
