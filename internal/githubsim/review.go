package githubsim

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
	ps.TellReview(r, p, one, "submitted", who)
	return one, ps.reviewed(r, p.headSHA)
}

// dismissApprovals is what a push does where stale approvals are dismissed.
func (ps *Pulls) dismissApprovals(r *repository, p *pull, who *account) {
	for _, one := range p.reviews {
		if one.state == "APPROVED" {
			one.state = "DISMISSED"
			ps.TellReview(r, p, one, "dismissed", who)
		}
	}
}

// TellReview sends a pull_request_review event.
func (ps *Pulls) TellReview(r *repository, p *pull, one *review, action string, who *account) {
	ps.events.OfRepo(r, "pull_request_review", action, who, PullReview{p, one}, nil)
}

func (v *Render) Review(r *repository, p *pull, one *review) obj {
	pulls := v.API(r, "/pulls/"+itoa(int64(p.number)))
	html := v.HTML(r, "/pull/"+itoa(int64(p.number))) + "#pullrequestreview-" + itoa(one.id)
	return obj{
		"id": one.id, "node_id": nodeID("PRR", one.id), "user": v.Account(one.author), "body": one.body, "state": one.state,
		"html_url": html, "pull_request_url": pulls, "submitted_at": stamp(one.submitted), "commit_id": one.commit,
		"author_association": r.association(one.author), "_links": obj{"html": obj{"href": html}, "pull_request": obj{"href": pulls}},
	}
}
