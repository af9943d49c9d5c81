package hub

import (
	"slices"
	"strings"
	"time"
)

// Review is one review of a pull request.
type Review struct {
	ID        int64
	Author    *Account
	State     string // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING
	Body      string
	Commit    string
	Submitted time.Time
}

// Review submits a review. Authors cannot approve their own pull requests.
func (ps *Pulls) Review(r *Repository, p *Pull, who *Account, state, body string) (*Review, error) {
	if who == p.Author && state == "APPROVED" {
		return nil, &Refusal{
			Status: 422, Message: "Unprocessable Entity", errors: []any{"Can not approve your own pull request"},
		}
	}
	if who == p.Author && state == "CHANGES_REQUESTED" {
		return nil, &Refusal{
			Status: 422, Message: "Unprocessable Entity", errors: []any{"Can not request changes on your own pull request"},
		}
	}
	one := &Review{
		ID: ps.clock.NextID(), Author: who, State: state, Body: body, Commit: p.HeadSHA, Submitted: ps.clock.Now(),
	}
	p.Reviews = append(p.Reviews, one)
	p.Updated = ps.clock.Now()
	ps.tellReview(r, p, one, "submitted", who)
	return one, ps.reviewed(r, p.HeadSHA)
}

// Dismiss dismisses a review.
func (ps *Pulls) Dismiss(r *Repository, p *Pull, one *Review, who *Account) error {
	if one.State == "COMMENTED" || one.State == "PENDING" {
		return Invalid("Can not dismiss a %s pull request review", strings.ToLower(one.State))
	}
	one.State = "DISMISSED"
	ps.tellReview(r, p, one, "dismissed", who)
	return nil
}

// RequestReviews requests reviews from people.
func (ps *Pulls) RequestReviews(r *Repository, p *Pull, people []*Account, who *Account) {
	for _, a := range people {
		if !slices.Contains(p.Requested, a) {
			p.Requested = append(p.Requested, a)
			ps.tell(r, p, "review_requested", who, Fields{"requested_reviewer": a})
		}
	}
}

// UnrequestReviews withdraws these requests.
func (ps *Pulls) UnrequestReviews(r *Repository, p *Pull, people []*Account, who *Account) {
	for _, a := range people {
		if at := slices.Index(p.Requested, a); at >= 0 {
			p.Requested = slices.Delete(p.Requested, at, at+1)
			ps.tell(r, p, "review_request_removed", who, Fields{"requested_reviewer": a})
		}
	}
}

// dismissApprovals dismisses the approvals after a push, if the protection of the branch requires it.
func (ps *Pulls) dismissApprovals(r *Repository, p *Pull, who *Account) {
	for _, one := range p.Reviews {
		if one.State == "APPROVED" {
			one.State = "DISMISSED"
			ps.tellReview(r, p, one, "dismissed", who)
		}
	}
}

// tellReview sends a pull_request_review event.
func (ps *Pulls) tellReview(r *Repository, p *Pull, one *Review, action string, who *Account) {
	ps.events.OfRepo(r, "pull_request_review", action, who, PullReview{p, one}, nil)
}

// Approvals counts the people whose latest decisive review approves.
func (p *Pull) Approvals() int {
	count := 0
	for _, state := range p.verdicts() {
		if state == "APPROVED" {
			count++
		}
	}
	return count
}

// countedApprovals counts the approvals that a protection counts: with LastPush not that of whoever has pushed last.
func (p *Pull) countedApprovals(by Protection) int {
	count := p.Approvals()
	if by.LastPush && p.pusher != nil && p.verdicts()[p.pusher.Login] == "APPROVED" {
		count--
	}
	return count
}

// approvedByAny reports whether one of some people approves.
func (p *Pull) approvedByAny(logins []string) bool {
	return slices.ContainsFunc(logins, func(login string) bool { return p.verdicts()[login] == "APPROVED" })
}

// ChangesRequested reports whether the latest review of a person requests changes.
func (p *Pull) ChangesRequested() bool {
	for _, state := range p.verdicts() {
		if state == "CHANGES_REQUESTED" {
			return true
		}
	}
	return false
}

// verdicts returns the latest decisive review of each person except the author.
func (p *Pull) verdicts() map[string]string {
	latest := map[string]string{}
	for _, one := range p.Reviews {
		if one.Author != p.Author && one.Author.Kind == KindUser && one.State != "COMMENTED" && one.State != "PENDING" {
			latest[one.Author.Login] = one.State
		}
	}
	return latest
}
