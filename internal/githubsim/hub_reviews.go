package githubsim

import (
	"slices"
	"strings"
	"time"
)

// review is one review of a pull request.
type review struct {
	id        int64
	author    *account
	state     string // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING
	body      string
	commit    string
	submitted time.Time
}

// Review submits a review. Nobody approves their own pull request.
func (ps *Pulls) Review(r *repository, p *pull, who *account, state, body string) (*review, error) {
	if who == p.author && state == "APPROVED" {
		return nil, &apiError{status: 422, message: "Unprocessable Entity", errors: []any{"Can not approve your own pull request"}}
	}
	if who == p.author && state == "CHANGES_REQUESTED" {
		return nil, &apiError{status: 422, message: "Unprocessable Entity", errors: []any{"Can not request changes on your own pull request"}}
	}
	one := &review{id: ps.clock.NextID(), author: who, state: state, body: body, commit: p.headSHA, submitted: ps.clock.Now()}
	p.reviews = append(p.reviews, one)
	p.updated = ps.clock.Now()
	ps.tellReview(r, p, one, "submitted", who)
	return one, ps.reviewed(r, p.headSHA)
}

// Dismiss takes the decision of a review back.
func (ps *Pulls) Dismiss(r *repository, p *pull, one *review, who *account) error {
	if one.state == "COMMENTED" || one.state == "PENDING" {
		return invalid("Can not dismiss a %s pull request review", strings.ToLower(one.state))
	}
	one.state = "DISMISSED"
	ps.tellReview(r, p, one, "dismissed", who)
	return nil
}

// RequestReviews asks people for reviews.
func (ps *Pulls) RequestReviews(r *repository, p *pull, people []*account, who *account) {
	for _, a := range people {
		if !slices.Contains(p.requested, a) {
			p.requested = append(p.requested, a)
			ps.tell(r, p, "review_requested", who, Fields{"requested_reviewer": a})
		}
	}
}

// UnrequestReviews asks them no longer.
func (ps *Pulls) UnrequestReviews(r *repository, p *pull, people []*account, who *account) {
	for _, a := range people {
		if at := slices.Index(p.requested, a); at >= 0 {
			p.requested = slices.Delete(p.requested, at, at+1)
			ps.tell(r, p, "review_request_removed", who, Fields{"requested_reviewer": a})
		}
	}
}

// dismissApprovals is what a push does where stale approvals are dismissed.
func (ps *Pulls) dismissApprovals(r *repository, p *pull, who *account) {
	for _, one := range p.reviews {
		if one.state == "APPROVED" {
			one.state = "DISMISSED"
			ps.tellReview(r, p, one, "dismissed", who)
		}
	}
}

// tellReview sends a pull_request_review event.
func (ps *Pulls) tellReview(r *repository, p *pull, one *review, action string, who *account) {
	ps.events.OfRepo(r, "pull_request_review", action, who, PullReview{p, one}, nil)
}

// approvals counts the people whose latest decisive review approves.
func (p *pull) approvals() int {
	count := 0
	for _, state := range p.verdicts() {
		if state == "APPROVED" {
			count++
		}
	}
	return count
}

func (p *pull) changesRequested() bool {
	for _, state := range p.verdicts() {
		if state == "CHANGES_REQUESTED" {
			return true
		}
	}
	return false
}

// verdicts is the latest decisive review of each person but the author.
func (p *pull) verdicts() map[string]string {
	latest := map[string]string{}
	for _, one := range p.reviews {
		if one.author != p.author && one.author.kind == kindUser && one.state != "COMMENTED" && one.state != "PENDING" {
			latest[one.author.login] = one.state
		}
	}
	return latest
}
