package githubsim

// addReview submits a review. Nobody approves their own pull request.
func (w *world) addReview(r *repository, p *pull, who *account, state, body string) (*review, error) {
	if who == p.author && state == "APPROVED" {
		return nil, &apiError{status: 422, message: "Unprocessable Entity", errors: []any{"Can not approve your own pull request"}}
	}
	if who == p.author && state == "CHANGES_REQUESTED" {
		return nil, &apiError{status: 422, message: "Unprocessable Entity", errors: []any{"Can not request changes on your own pull request"}}
	}
	one := &review{id: w.nextID(), author: who, state: state, body: body, commit: p.headSHA, submitted: w.now()}
	p.reviews = append(p.reviews, one)
	p.updated = w.now()
	w.emitReview(r, p, one, "submitted", who)
	return one, w.signalled(r, p.headSHA)
}

// dismissApprovals is what a push does where stale approvals are dismissed.
func (w *world) dismissApprovals(r *repository, p *pull, who *account) {
	for _, one := range p.reviews {
		if one.state == "APPROVED" {
			one.state = "DISMISSED"
			w.emitReview(r, p, one, "dismissed", who)
		}
	}
}

func (w *world) emitReview(r *repository, p *pull, one *review, action string, who *account) {
	shown := w.reviewJSON(r, p, one)
	shown["state"], shown["updated_at"] = lower(one.state), stamp(one.submitted)
	w.emitRepo(r, "pull_request_review", action, who, obj{"review": shown, "pull_request": w.pullJSON(r, p, false)})
}

func (w *world) reviewJSON(r *repository, p *pull, one *review) obj {
	pulls := w.apiURL(r, "/pulls/"+itoa(int64(p.number)))
	html := w.htmlURL(r, "/pull/"+itoa(int64(p.number))) + "#pullrequestreview-" + itoa(one.id)
	return obj{
		"id": one.id, "node_id": nodeID("PRR", one.id), "user": w.accountJSON(one.author), "body": one.body, "state": one.state,
		"html_url": html, "pull_request_url": pulls, "submitted_at": stamp(one.submitted), "commit_id": one.commit,
		"author_association": w.association(r, one.author), "_links": obj{"html": obj{"href": html}, "pull_request": obj{"href": pulls}},
	}
}
