package hub

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"waybill/internal/githubsim/gitstore"
)

// Pull is a pull request: an issue with a head and a base.
type Pull struct {
	*Issue
	Repo     *Repository // of the base
	From     *Repository // of the head: repo or a fork of it, nil once the fork is deleted
	Owner    *Account    // of the head
	HeadRef  string
	HeadSHA  string
	BaseRef  string
	BaseSHA  string // the base's head at the last open, retarget or merge
	Draft    bool
	Merged   bool
	MergedAt time.Time
	MergedBy *Account
	MergeSHA string // the merge commit, once merged; before that the test merge

	pusher    *Account // who has pushed to the head last; nil: nobody since it was opened
	born      mark
	moved     mark      // the pull request was as before until then
	before    pullHead  // zero if the head has not moved
	tested    [2]string // base and head that the test merge was made of
	Conflicts []string
	Looked    bool // the mergeability of tested was asked for
	looks     int  // since the last test merge
	Commits   int  // counted at the merge
	Reviews   []*Review
	Requested []*Account
	AutoMerge *AutoMerge
}

// pullHead is the head of a pull request, and the time of its last change.
type pullHead struct {
	sha     string
	updated time.Time
}

// AutoMerge is the auto-merge of a pull request, which merges it once its requirements are met.
type AutoMerge struct {
	By     *Account
	Method string
	Since  time.Time
}

// PullSpec describes a new pull request.
type PullSpec struct {
	Number     int
	Title      string
	Body       string
	From       *Repository // of the head; the base's own when nil
	Head, Base string
	Draft      bool
}

// Pulls handles pull requests from open to closed.
type Pulls struct {
	clock   *Clock
	lag     *Lag
	repos   *Repos
	events  *Events
	refs    *Refs
	tracker *Tracker
	// MoreLooks is how many more requests than the first get no mergeability after a change.
	MoreLooks int
	// reviewed is called after a review of a head, and left after a pull request is closed or gets a new head.
	reviewed func(r *Repository, sha string) error
	left     func(p *Pull, reason string, who *Account) error
}

// Open opens a pull request, or returns GitHub's error.
func (ps *Pulls) Open(r *Repository, in PullSpec, author *Account) (*Pull, error) {
	if in.From == nil {
		in.From = r
	}
	head, headExists := in.From.git.Branch(in.Head)
	base, baseExists := r.git.Branch(in.Base)
	switch {
	case !headExists:
		return nil, ValidationFailed("PullRequest", "head", "invalid", "")
	case !baseExists:
		return nil, ValidationFailed("PullRequest", "base", "invalid", "")
	case in.Title == "":
		return nil, ValidationFailed("PullRequest", "title", "missing_field", "")
	}
	for _, p := range r.OpenPulls() {
		if p.From == in.From && p.HeadRef == in.Head && p.BaseRef == in.Base {
			return nil, ValidationFailed("PullRequest", "", "custom",
				"A pull request already exists for "+in.From.Owner.Login+":"+in.Head+".")
		}
	}
	if r.git.IsAncestor(head, base) {
		return nil, ValidationFailed("PullRequest", "", "custom", "No commits between "+in.Base+" and "+in.Head)
	}
	i, err := ps.tracker.Open(r, in.Number, in.Title, in.Body, author)
	if err != nil {
		return nil, err
	}
	p := &Pull{
		Issue: i, Repo: r, From: in.From, Owner: in.From.Owner, HeadRef: in.Head, HeadSHA: head, BaseRef: in.Base,
		BaseSHA: base, Draft: in.Draft, born: ps.lag.mark(),
	}
	i.Pull = p
	if err := ps.pinHead(r, p); err != nil {
		return nil, err
	}
	ps.tell(r, p, "opened", author, nil)
	return p, nil
}

// tell sends a pull_request event; with holds the additional fields of the action.
func (ps *Pulls) tell(r *Repository, p *Pull, action string, sender *Account, with Fields) {
	ps.events.OfRepo(r, "pull_request", action, sender, p, with)
}

// pinHead sets refs/pull/N/head, which keeps the head after its branch is deleted.
func (ps *Pulls) pinHead(r *Repository, p *Pull) error {
	return r.git.SetRef("refs/pull/"+strconv.Itoa(p.Number)+"/head", p.HeadSHA)
}

// from lists the open pull requests of all repositories that come from a branch.
func (ps *Pulls) from(r *Repository, branch string) []*Pull {
	var from []*Pull
	for _, base := range ps.repos.Sorted() {
		for _, p := range base.OpenPulls() {
			if p.From == r && p.HeadRef == branch {
				from = append(from, p)
			}
		}
	}
	return from
}

// headMoved handles a push to the head branch of pull requests.
func (ps *Pulls) headMoved(push Push) error {
	for _, p := range ps.from(push.Repo, push.branch()) {
		p.before, p.moved, p.HeadSHA = pullHead{p.HeadSHA, p.Updated}, ps.lag.mark(), push.After
		p.pusher, p.Updated = push.Who, ps.clock.Now()
		if err := ps.pinHead(p.Repo, p); err != nil {
			return err
		}
		if p.Repo.Protections[p.BaseRef].DismissStale {
			ps.dismissApprovals(p.Repo, p, push.Who)
		}
		ps.tell(p.Repo, p, "synchronize", push.Who, Fields{"before": push.Before, "after": push.After})
		if err := ps.left(p, removedProtected, push.Who); err != nil {
			return err
		}
	}
	return nil
}

// branchDeleted closes the pull requests from a deleted branch, and then those into it.
func (ps *Pulls) branchDeleted(r *Repository, branch string, who *Account) error {
	for _, p := range ps.from(r, branch) {
		if err := ps.Close(p.Repo, p, who); err != nil {
			return err
		}
	}
	for _, p := range r.OpenPulls() {
		if p.BaseRef != branch {
			continue
		}
		if err := ps.Close(r, p, who); err != nil {
			return err
		}
	}
	return nil
}

// branchRenamed turns the open pull requests into a branch to its new name.
func (ps *Pulls) branchRenamed(r *Repository, from, to string, who *Account) error {
	for _, p := range r.OpenPulls() {
		if p.BaseRef != from {
			continue
		}
		if err := ps.Change(r, p, nil, nil, &to, nil, who); err != nil {
			return err
		}
	}
	return nil
}

// SetDraft makes a pull request a draft, or ready for review.
func (ps *Pulls) SetDraft(r *Repository, p *Pull, draft bool, who *Account) {
	if p.Draft == draft {
		return
	}
	p.Draft, p.Updated = draft, ps.clock.Now()
	action := "ready_for_review"
	if draft {
		action = "converted_to_draft"
	}
	ps.tell(r, p, action, who, nil)
}

// Close closes a pull request without merging.
func (ps *Pulls) Close(r *Repository, p *Pull, who *Account) error {
	ps.tracker.close(p.Issue, who)
	ps.Disarm(r, p, who)
	ps.tell(r, p, "closed", who, nil)
	return ps.left(p, RemovedByHand, who)
}

// Reopen reopens a pull request that was closed without merging and whose branch still exists.
func (ps *Pulls) Reopen(r *Repository, p *Pull, who *Account) error {
	head, exists := p.headBranch()
	switch {
	case p.Open:
		return nil
	case p.Merged:
		return ValidationFailed("PullRequest", "state", "invalid",
			"state cannot be changed. The pull request cannot be reopened.")
	case !exists || !r.git.IsAncestor(p.HeadSHA, head):
		return ValidationFailed("PullRequest", "state", "invalid",
			"state cannot be changed. The "+p.HeadRef+" branch was force-pushed or recreated.")
	}
	for _, other := range r.OpenPulls() {
		if other.From == p.From && other.HeadRef == p.HeadRef && other.BaseRef == p.BaseRef {
			return ValidationFailed("PullRequest", "state", "invalid",
				"state cannot be changed. There is already an open pull request from "+p.HeadRef+" to "+p.BaseRef+".")
		}
	}
	p.Open, p.Closed, p.ClosedBy, p.Updated = true, time.Time{}, nil, ps.clock.Now()
	p.HeadSHA = head
	ps.tell(r, p, "reopened", who, nil)
	return nil
}

// Change edits first text and base and then the state, as REST and GraphQL both do. Nil leaves a field unchanged.
func (ps *Pulls) Change(r *Repository, p *Pull, title, body, base, state *string, who *Account) error {
	changes := Fields{}
	if title != nil && *title != p.Title {
		changes["title"] = Fields{"from": p.Title}
		p.Title = *title
	}
	if body != nil && *body != p.Body {
		changes["body"] = Fields{"from": p.Body}
		p.Body = *body
	}
	if base != nil && *base != p.BaseRef {
		sha, exists := r.git.Branch(*base)
		if !exists {
			return ValidationFailed("PullRequest", "base", "invalid", "Proposed base branch '"+*base+"' was not found")
		}
		changes["base"] = Fields{"ref": Fields{"from": p.BaseRef}, "sha": Fields{"from": p.BaseSHA}}
		p.BaseRef, p.BaseSHA = *base, sha
	}
	if len(changes) > 0 {
		p.Updated = ps.clock.Now()
		ps.tell(r, p, "edited", who, Fields{"changes": changes})
	}
	switch {
	case state == nil || *state == p.State():
		return nil
	case *state == "closed":
		return ps.Close(r, p, who)
	}
	return ps.Reopen(r, p, who)
}

// BringUpToDate merges the base of a pull request into its head.
func (ps *Pulls) BringUpToDate(r *Repository, p *Pull, who *Account) error {
	base, _ := r.git.Branch(p.BaseRef)
	if p.From == nil {
		return Invalid("The head repository is gone.")
	}
	if r.git.IsAncestor(base, p.HeadSHA) {
		return Invalid("There are no new commits on the base branch.")
	}
	m, err := r.git.Merge(p.HeadSHA, base)
	if err != nil {
		return err
	}
	if !m.Clean() {
		return Invalid("merge conflict between base and head")
	}
	sha, err := ps.refs.WriteMerge(r, m, p.HeadSHA, base, who, "Merge branch '"+p.BaseRef+"' into "+p.HeadRef)
	if err != nil {
		return err
	}
	return ps.refs.Push(p.From, "refs/heads/"+p.HeadRef, sha, who)
}

// Disarm disables auto-merge.
func (ps *Pulls) Disarm(r *Repository, p *Pull, who *Account) {
	if p.AutoMerge == nil {
		return
	}
	p.AutoMerge = nil
	ps.tell(r, p, "auto_merge_disabled", who, Fields{"reason": "disabled"})
}

// headBranch returns the head of a pull request's branch, or false if the branch or its repository was deleted.
func (p *Pull) headBranch() (sha string, exists bool) {
	if p.From == nil {
		return "", false
	}
	return p.From.git.Branch(p.HeadRef)
}

// HeadCommits lists the commits of a pull request, oldest first.
func (r *Repository) HeadCommits(p *Pull) []gitstore.Commit {
	return r.git.Between(p.BaseSHA, p.HeadSHA)
}

// Changes lists the files of a pull request, against the merge base as GitHub does.
func (r *Repository) Changes(p *Pull) ([]gitstore.FileChange, error) {
	return r.ChangesAt(p, p.HeadSHA)
}

// ChangesAt lists the files of a pull request as they are, or were, with some commit as its head.
func (r *Repository) ChangesAt(p *Pull, head string) ([]gitstore.FileChange, error) {
	return r.git.Diff(r.git.BaseOf(p.BaseSHA, head), head)
}

// FindPull finds a pull request by number.
func (b *Board) FindPull(number int) (*Pull, error) {
	i := b.Issues[number]
	if i == nil || i.Pull == nil {
		return nil, Refuse(http.StatusNotFound, "Not Found")
	}
	return i.Pull, nil
}

// PullByID finds a pull request by its id, or returns nil.
func (b *Board) PullByID(id int64) *Pull {
	for _, i := range b.Issues {
		if i.Pull != nil && i.ID == id {
			return i.Pull
		}
	}
	return nil
}

// GraphState returns OPEN, CLOSED or MERGED. REST calls the last two closed.
func (p *Pull) GraphState() string {
	if p.Merged {
		return "MERGED"
	}
	return strings.ToUpper(p.State())
}

// Brings reports whether a commit belongs to a pull request.
func (r *Repository) Brings(p *Pull, sha string) bool {
	if p.Merged && p.MergeSHA == sha {
		return true
	}
	for _, one := range r.HeadCommits(p) {
		if one.SHA == sha {
			return true
		}
	}
	return false
}

// behind reports whether the base has commits that the head does not contain.
func (r *Repository) behind(p *Pull) bool {
	base, exists := r.git.Branch(p.BaseRef)
	return exists && !r.git.IsAncestor(base, p.HeadSHA)
}
