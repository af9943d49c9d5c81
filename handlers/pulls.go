package handlers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// ourBranches is where the branches of our own pull requests are. Nobody else's belong there.
const ourBranches = "waybill/"

// pullRequest decodes what happened to a pull request: ours, or somebody's that is merged.
func (us Self) pullRequest(e *github.PullRequestEvent, body []byte) (Told, error) {
	f, p := us.about(e.Repo, e.Installation, e.Sender), e.GetPullRequest()
	if err := f.has(p, "pull_request"); err != nil {
		return Told{}, err
	}
	f.labelled(e)
	f.candidate(p)
	closing := e.GetAction() == "closed"
	switch {
	case p.GetMerged() && (p.GetMergeCommitSHA() == "" || p.MergedAt == nil):
		// As which commit is not said: it is found out by asking.
	case f.ours(p) && p.GetState() == "closed" && !p.GetMerged() && !closing:
		// Something else about a closed one: the sender is not who closed it.
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
		f.tell(merged(p))
	default:
		f.proposed(e.GetAction(), p)
	}
	return f, nil
}

// byHand is the reason that GitHub gives when somebody has taken a pull request out of the merge queue.
const byHand = "MANUAL"

// queued returns what a delivery says of the merge queue, and why the pull request was taken out if it was not to be
// merged. go-github has no field for that.
func queued(action string, body []byte) (place promotion.QueuePlace, why string) {
	var said struct {
		Reason string `json:"reason"`
	}
	switch action {
	case "enqueued":
		return promotion.InQueue, ""
	case "dequeued":
		if json.Unmarshal(body, &said) == nil && said.Reason == "MERGE" {
			return "", "" // its merge is told by another delivery
		}
		return promotion.OutOfQueue, cmp.Or(said.Reason, "UNKNOWN")
	}
	return "", ""
}

// proposed takes a pull request whose commits nobody has looked at, if it goes into the default branch.
func (f *Told) proposed(action string, p *github.PullRequest) {
	fresh := action == "opened" || action == "synchronize" || action == "reopened"
	if fresh && p.GetState() == "open" && p.GetBase().GetRef() == f.DefaultBranch {
		f.tell(&ProposedPull{Number: p.GetNumber(), Head: promotion.SHA(p.GetHead().GetSHA())})
	}
}

// candidate takes a pull request of somebody's as it is.
func (f *Told) candidate(p *github.PullRequest) {
	if f.ours(p) || p.UpdatedAt == nil {
		return
	}
	f.tell(&CandidatePull{
		Number: p.GetNumber(), Head: promotion.SHA(p.GetHead().GetSHA()), Base: p.GetBase().GetRef(),
		Open: p.GetState() == "open", Updated: at(p.UpdatedAt),
	})
}

// labelled decodes a label that a person has put on a pull request, or taken off. What an App does with labels, ours
// above all, is nobody's wish (T17); but it may take ours off.
func (f *Told) labelled(e *github.PullRequestEvent) {
	action, name := e.GetAction(), e.GetLabel().GetName()
	if action == "unlabeled" && name != "" && !f.Ours {
		f.tell(&Removal{Number: e.GetPullRequest().GetNumber(), Label: name})
	}
	if f.SenderIsBot || f.Sender.ID == 0 || name == "" || action != "labeled" && action != "unlabeled" {
		return
	}
	l := &Label{Number: e.GetPullRequest().GetNumber(), Name: name, Gone: action == "unlabeled", By: f.Sender}
	if f.ours(e.GetPullRequest()) {
		l.Ours = e.GetPullRequest().GetHead().GetRef()
	}
	f.tell(l)
}

// review decodes a review: GitHub may now think otherwise about merging the pull request, and an approval of one of
// ours is a sign-off.
func (us Self) review(e *github.PullRequestReviewEvent) (Told, error) {
	f, p := us.about(e.Repo, e.Installation, e.Sender), e.GetPullRequest()
	if err := f.has(p, "pull_request_review"); err != nil {
		return Told{}, err
	}
	f.tell(&Bump{SHA: promotion.SHA(p.GetHead().GetSHA())})
	r := e.GetReview()
	if by := r.GetUser(); e.GetAction() == "submitted" && strings.EqualFold(r.GetState(), "approved") && f.ours(p) &&
		by.GetType() == "User" && by.GetID() != 0 {
		f.tell(&Approval{
			Number: p.GetNumber(), SHA: promotion.SHA(r.GetCommitID()), By: actor(by), At: at(r.SubmittedAt),
		})
	}
	f.summary(e)
	return f, nil
}

// summary takes what a person has just written as the summary of a review.
func (f *Told) summary(e *github.PullRequestReviewEvent) {
	r := e.GetReview()
	if by := r.GetUser(); e.GetAction() == "submitted" && r.GetBody() != "" && !f.SenderIsBot && by.GetType() != "Bot" &&
		by.GetID() != 0 {
		f.tell(&Comment{Number: e.GetPullRequest().GetNumber(), By: actor(by), Text: r.GetBody(), At: at(r.SubmittedAt)})
	}
}

// has reports what is wrong with a pull request of a delivery. One that goes into another repository than the
// delivery's is not believed (T22).
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
	head := p.GetHead()
	return strings.HasPrefix(head.GetRef(), ourBranches) && head.GetRepo().GetID() == f.RepoID
}

// pull returns the state of a pull request of ours. closer is who has closed it, if it was closed without being merged.
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
	switch {
	case p.GetMerged():
		pull.State = promotion.PullMerged
		pull.MergeSHA = promotion.SHA(p.GetMergeCommitSHA()) // before the merge it is that of a trial
		pull.MergedAt = at(p.MergedAt)
		pull.By = us.by(p.MergedBy)
	case p.GetState() == "closed":
		pull.State = promotion.PullClosed
		pull.By = us.by(closer)
	}
	return pull
}

// merged returns what a merged pull request is as freight.
func merged(p *github.PullRequest) *MergedPull {
	m := &MergedPull{
		Number:   p.GetNumber(),
		Title:    p.GetTitle(),
		URL:      p.GetHTMLURL(),
		Author:   actor(p.User),
		MergedAt: at(p.MergedAt),
		MergedBy: actor(p.MergedBy),
		MergeSHA: promotion.SHA(p.GetMergeCommitSHA()),
		Base:     p.GetBase().GetRef(),
		Head:     p.GetHead().GetRef(),
		HeadRepo: promotion.Repo(p.GetHead().GetRepo().GetFullName()),
	}
	for _, l := range p.Labels {
		m.Labels = append(m.Labels, l.GetName())
	}
	return m
}
