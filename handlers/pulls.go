package handlers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// ourBranches begins the names of our own pull requests' branches. Other branches must not begin so.
const ourBranches = "waybill/"

// pullRequest decodes a change of a pull request: ours, or a person's.
func (us Self) pullRequest(e *github.PullRequestEvent, body []byte) (Told, error) {
	f, p := us.about(e.Repo, e.Installation, e.Sender), e.GetPullRequest()
	if err := f.has(p, "pull_request"); err != nil {
		return Told{}, err
	}
	f.labelled(e)
	f.candidate(e)
	closing := e.GetAction() == "closed"
	switch {
	case p.GetMerged() && (p.GetMergeCommitSHA() == "" || p.MergedAt == nil):
		if closing {
			f.tell(&Unfinished{})
		}
	case f.ours(p) && p.GetState() == "closed" && !p.GetMerged() && !closing:
		// Another change of a closed one: the sender has not closed it.
	case f.ours(p):
		pull := us.pull(f.Repo, p, e.Sender)
		if e.GetAction() == "synchronize" {
			pull.Pusher = us.by(e.Sender)
		}
		why := ""
		if pull.Queue, why = queued(e.GetAction(), body); f.Ours && why == byHand {
			why = "" // we took it out ourselves
		}
		f.tell(&OurPull{pull, why})
		if e.GetAction() == "ready_for_review" { // nothing merges a draft
			f.tell(&Bump{SHA: pull.HeadSHA})
		}
	case closing && p.GetMerged():
		f.tell(merged(f.Repo, p))
	default:
		f.proposed(e.GetAction(), p)
	}
	return f, nil
}

// byHand is the reason that GitHub gives when a person has removed a pull request from the merge queue.
const byHand = "MANUAL"

// queued returns a delivery's state of the merge queue, and why the pull request was removed without being merged.
// go-github has no field for that.
func queued(action string, body []byte) (place promotion.QueuePlace, why string) {
	var said struct {
		Reason string `json:"reason"`
	}
	switch action {
	case "enqueued":
		return promotion.InQueue, ""
	case "dequeued":
		if json.Unmarshal(body, &said) == nil && said.Reason == "MERGE" {
			return "", "" // another delivery reports its merge
		}
		return promotion.OutOfQueue, cmp.Or(said.Reason, "UNKNOWN")
	}
	return "", ""
}

// proposed takes a pull request with new commits, if it goes into the default branch.
func (f *Told) proposed(action string, p *github.PullRequest) {
	fresh := action == "opened" || action == "synchronize" || action == "reopened"
	if fresh && p.GetState() == "open" && p.GetBase().GetRef() == f.DefaultBranch {
		f.tell(&ProposedPull{Number: p.GetNumber(), Head: promotion.SHA(p.GetHead().GetSHA()),
			Fork: f.forked(p), By: f.person()})
	}
}

// forked reports whether the branch of a pull request is in another repository.
func (f *Told) forked(p *github.PullRequest) bool { return p.GetHead().GetRepo().GetID() != f.RepoID }

// candidate takes a person's pull request as it is.
func (f *Told) candidate(e *github.PullRequestEvent) {
	p := e.GetPullRequest()
	if f.ours(p) || p.UpdatedAt == nil {
		return
	}
	f.tell(&CandidatePull{
		Number: p.GetNumber(), Head: promotion.SHA(p.GetHead().GetSHA()), Base: p.GetBase().GetRef(),
		Open: p.GetState() == "open", Merged: p.GetMerged(), Updated: at(p.UpdatedAt),
		Change: changeOf(e), Before: promotion.SHA(e.GetBefore()),
		Was:  e.GetChanges().GetBase().GetRef().GetFrom(),
		Fork: f.forked(p), By: cmp.Or(f.person(), actor(p.User)),
	})
}

// changeOf returns what has happened to a pull request.
func changeOf(e *github.PullRequestEvent) PullChange {
	switch {
	case e.GetAction() == "opened":
		return PullOpened
	case e.GetAction() == "synchronize":
		return PullPushed
	case e.GetAction() == "reopened":
		return PullReopened
	case e.GetChanges().GetBase() != nil:
		return PullTurned
	}
	return ""
}

// labelled decodes a label that a person has added or removed. Labels that an App adds, ours above all, give no
// commands (T17); but an App may remove ours.
func (f *Told) labelled(e *github.PullRequestEvent) {
	action, name := e.GetAction(), e.GetLabel().GetName()
	if action == "unlabeled" && name != "" && !f.Ours {
		f.tell(&Removal{Number: e.GetPullRequest().GetNumber(), Label: name})
	}
	if f.SenderIsBot || f.Sender.ID == 0 || name == "" || action != "labeled" && action != "unlabeled" {
		return
	}
	l := &Label{Number: e.GetPullRequest().GetNumber(), Name: name, Gone: action == "unlabeled", By: f.Sender,
		Head: promotion.SHA(e.GetPullRequest().GetHead().GetSHA()), At: at(e.GetPullRequest().UpdatedAt)}
	if f.ours(e.GetPullRequest()) {
		l.Ours = e.GetPullRequest().GetHead().GetRef()
	}
	f.tell(l)
}

// review decodes a review: GitHub may decide differently now about merging the pull request, and an approval of one of
// ours is a sign-off, which a later request for changes takes back.
func (us Self) review(e *github.PullRequestReviewEvent) (Told, error) {
	f, p := us.about(e.Repo, e.Installation, e.Sender), e.GetPullRequest()
	if err := f.has(p, "pull_request_review"); err != nil {
		return Told{}, err
	}
	f.tell(&Bump{SHA: promotion.SHA(p.GetHead().GetSHA())})
	r := e.GetReview()
	approves, against := strings.EqualFold(r.GetState(), "approved"), strings.EqualFold(r.GetState(), "changes_requested")
	if by := r.GetUser(); e.GetAction() == "submitted" && (approves || against) && f.ours(p) &&
		by.GetType() == "User" && by.GetID() != 0 {
		f.tell(&Approval{
			ID: r.GetID(), Number: p.GetNumber(), SHA: promotion.SHA(r.GetCommitID()), By: actor(by), At: at(r.SubmittedAt),
			Against: against,
		})
	}
	f.summary(e)
	return f, nil
}

// summary takes the text that a person has just written as the summary of a review.
func (f *Told) summary(e *github.PullRequestReviewEvent) {
	r := e.GetReview()
	if by := r.GetUser(); e.GetAction() == "submitted" && r.GetBody() != "" && !f.SenderIsBot && by.GetType() != "Bot" &&
		by.GetID() != 0 {
		f.tell(&Comment{
			Number: e.GetPullRequest().GetNumber(), Review: r.GetID(), By: actor(by), Text: r.GetBody(), At: at(r.SubmittedAt),
			Unmerged: e.GetPullRequest().MergedAt == nil,
		})
	}
}

// has returns the error of a pull request in a delivery. One that goes into another repository than the delivery's is
// refused (T22).
func (f *Told) has(p *github.PullRequest, event string) error {
	if !f.named() || p.GetNumber() == 0 || p.GetHead().GetSHA() == "" {
		return incomplete(event)
	}
	if base := p.GetBase().GetRepo(); base.GetID() != f.RepoID {
		return fmt.Errorf("%w from %s of %s: its pull request is one of %s", ErrIgnored, event, f.Repo, base.GetFullName())
	}
	return nil
}

// ours reports whether a pull request comes from a branch of ours. A fork may name its branches as it likes.
func (f *Told) ours(p *github.PullRequest) bool {
	return strings.HasPrefix(p.GetHead().GetRef(), ourBranches) && !f.forked(p)
}

// pull returns the state of a pull request of ours. closer is the account that has closed it without merging it, if one
// has.
func (us Self) pull(repo promotion.Repo, p *github.PullRequest, closer *github.User) promotion.Pull {
	pull := promotion.Pull{
		Repo:      repo,
		Number:    p.GetNumber(),
		Head:      p.GetHead().GetRef(),
		HeadSHA:   promotion.SHA(p.GetHead().GetSHA()),
		Base:      p.GetBase().GetRef(),
		State:     promotion.PullOpen,
		URL:       p.GetHTMLURL(),
		Conflicts: p.GetMergeableState() == "dirty",
		Updated:   at(p.UpdatedAt),
	}
	pull.FitUnknown = p.GetMergeableState() == "" || p.GetMergeableState() == "unknown"
	switch {
	case p.GetMerged():
		pull.State = promotion.PullMerged
		pull.MergeSHA = promotion.SHA(p.GetMergeCommitSHA()) // before the merge it is that of a trial
		pull.MergedAt = at(p.MergedAt)
		pull.By, pull.NewCommit = us.by(p.MergedBy), us.is(p.MergedBy)
	case p.GetState() == "closed":
		pull.State = promotion.PullClosed
		pull.By = us.by(closer)
	}
	return pull
}

// merged returns the event of a merged pull request.
func merged(repo promotion.Repo, p *github.PullRequest) *MergedPull {
	m := &MergedPull{
		Number:   p.GetNumber(),
		Title:    p.GetTitle(),
		Author:   actor(p.User),
		MergedAt: at(p.MergedAt),
		MergeSHA: promotion.SHA(p.GetMergeCommitSHA()),
		Base:     p.GetBase().GetRef(),
		Issues:   promotion.IssuesIn(p.GetBody(), repo),
	}
	for _, l := range p.Labels {
		m.Labels = append(m.Labels, l.GetName())
	}
	return m
}
