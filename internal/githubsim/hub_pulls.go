package githubsim

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"waybill/internal/githubsim/gitstore"
)

// pull is what a pull request has beyond an issue.
type pull struct {
	*issue
	repo     *repository // of the base
	from     *repository // of the head: repo or a fork of it, nil once the fork is deleted
	owner    *account    // of the head
	headRef  string
	headSHA  string
	baseRef  string
	baseSHA  string // the base branch when the pull request was opened or its base changed; at the merge, its head then
	draft    bool
	merged   bool
	mergedAt time.Time
	mergedBy *account
	mergeSHA string // the merge commit, once merged; before that the test merge

	tested    [2]string // base and head that the test merge was made of
	conflicts []string
	looked    bool // somebody asked for the mergeability of tested already
	commits   int  // at the merge, when Between no longer tells
	reviews   []*review
	requested []*account
	autoMerge *autoMerge
}

// autoMerge is a pull request that merges by itself once its requirements are met.
type autoMerge struct {
	by     *account
	method string
	since  time.Time
}

// newPull is a pull request to be opened.
type newPull struct {
	number     int
	title      string
	body       string
	from       *repository // of the head; the base's own when nil
	head, base string
	draft      bool
}

// Pulls follows pull requests from their opening to their end.
type Pulls struct {
	clock   *Clock
	repos   *Repos
	events  *Events
	refs    *Refs
	tracker *Tracker
	// reviewed follows a review of a head, left follows when a pull request is closed or gets a new head.
	reviewed func(r *repository, sha string) error
	left     func(p *pull, reason string, who *account) error
}

// Open opens a pull request with GitHub's rules for when it does not.
func (ps *Pulls) Open(r *repository, in newPull, author *account) (*pull, error) {
	if in.from == nil {
		in.from = r
	}
	head, headExists := in.from.git.Branch(in.head)
	base, baseExists := r.git.Branch(in.base)
	switch {
	case !headExists:
		return nil, validationFailed("PullRequest", "head", "invalid", "")
	case !baseExists:
		return nil, validationFailed("PullRequest", "base", "invalid", "")
	case in.title == "":
		return nil, validationFailed("PullRequest", "title", "missing_field", "")
	}
	for _, p := range r.openPulls() {
		if p.from == in.from && p.headRef == in.head && p.baseRef == in.base {
			return nil, validationFailed("PullRequest", "", "custom", "A pull request already exists for "+in.from.owner.login+":"+in.head+".")
		}
	}
	if r.git.IsAncestor(head, base) {
		return nil, validationFailed("PullRequest", "", "custom", "No commits between "+in.base+" and "+in.head)
	}
	i, err := ps.tracker.Open(r, in.number, in.title, in.body, author)
	if err != nil {
		return nil, err
	}
	p := &pull{issue: i, repo: r, from: in.from, owner: in.from.owner, headRef: in.head, headSHA: head, baseRef: in.base, baseSHA: base, draft: in.draft}
	i.pull = p
	if err := ps.pinHead(r, p); err != nil {
		return nil, err
	}
	ps.tell(r, p, "opened", author, nil)
	return p, nil
}

// tell sends a pull_request event; with holds what the action adds (label, changes, before and after).
func (ps *Pulls) tell(r *repository, p *pull, action string, sender *account, with Fields) {
	ps.events.OfRepo(r, "pull_request", action, sender, p, with)
}

// pinHead keeps refs/pull/N/head, by which GitHub remembers the head after its branch is gone.
func (ps *Pulls) pinHead(r *repository, p *pull) error {
	return r.git.SetRef("refs/pull/"+strconv.Itoa(p.number)+"/head", p.headSHA)
}

// pullsFrom lists the open pull requests, in whatever repository, that come from a branch.
func (ps *Pulls) from(r *repository, branch string) []*pull {
	var from []*pull
	for _, base := range ps.repos.Sorted() {
		for _, p := range base.openPulls() {
			if p.from == r && p.headRef == branch {
				from = append(from, p)
			}
		}
	}
	return from
}

// headMoved follows a push to a branch that pull requests come from.
func (ps *Pulls) headMoved(push Push) error {
	for _, p := range ps.from(push.Repo, push.branch()) {
		p.headSHA = push.After
		p.updated = ps.clock.Now()
		if err := ps.pinHead(p.repo, p); err != nil {
			return err
		}
		if p.repo.protections[p.baseRef].DismissStale {
			ps.dismissApprovals(p.repo, p, push.Who)
		}
		ps.tell(p.repo, p, "synchronize", push.Who, Fields{"before": push.Before, "after": push.After})
		if err := ps.left(p, removedProtected, push.Who); err != nil {
			return err
		}
	}
	return nil
}

// branchDeleted closes the pull requests that come from a branch that is gone, and then those that go to it.
func (ps *Pulls) branchDeleted(r *repository, branch string, who *account) error {
	for _, p := range ps.from(r, branch) {
		if err := ps.Close(p.repo, p, who); err != nil {
			return err
		}
	}
	for _, p := range r.openPulls() {
		if p.baseRef != branch {
			continue
		}
		if err := ps.Close(r, p, who); err != nil {
			return err
		}
	}
	return nil
}

// SetDraft makes a pull request a draft, or ready for review.
func (ps *Pulls) SetDraft(r *repository, p *pull, draft bool, who *account) {
	if p.draft == draft {
		return
	}
	p.draft, p.updated = draft, ps.clock.Now()
	action := "ready_for_review"
	if draft {
		action = "converted_to_draft"
	}
	ps.tell(r, p, action, who, nil)
}

// Close closes without merging.
func (ps *Pulls) Close(r *repository, p *pull, who *account) error {
	ps.tracker.Close(p.issue, who)
	ps.Disarm(r, p, who)
	ps.tell(r, p, "closed", who, nil)
	return ps.left(p, removedByHand, who)
}

// Reopen reopens what was closed without merging and still has its branch.
func (ps *Pulls) Reopen(r *repository, p *pull, who *account) error {
	head, exists := p.headBranch()
	switch {
	case p.open:
		return nil
	case p.merged:
		return validationFailed("PullRequest", "state", "invalid", "state cannot be changed. The pull request cannot be reopened.")
	case !exists || !r.git.IsAncestor(p.headSHA, head):
		return validationFailed("PullRequest", "state", "invalid", "state cannot be changed. The "+p.headRef+" branch was force-pushed or recreated.")
	}
	for _, other := range r.openPulls() {
		if other.from == p.from && other.headRef == p.headRef && other.baseRef == p.baseRef {
			return validationFailed("PullRequest", "state", "invalid", "state cannot be changed. There is already an open pull request from "+p.headRef+" to "+p.baseRef+".")
		}
	}
	p.open, p.closed, p.closedBy, p.updated = true, time.Time{}, nil, ps.clock.Now()
	p.headSHA = head
	ps.tell(r, p, "reopened", who, nil)
	return nil
}

// changePull edits text and base first and the state last, as REST and GraphQL both do. Nil leaves as is.
func (ps *Pulls) Change(r *repository, p *pull, title, body, base, state *string, who *account) error {
	changes := Fields{}
	if title != nil && *title != p.title {
		changes["title"] = obj{"from": p.title}
		p.title = *title
	}
	if body != nil && *body != p.body {
		changes["body"] = obj{"from": p.body}
		p.body = *body
	}
	if base != nil && *base != p.baseRef {
		sha, exists := r.git.Branch(*base)
		if !exists {
			return validationFailed("PullRequest", "base", "invalid", "Proposed base branch '"+*base+"' was not found")
		}
		changes["base"] = obj{"ref": obj{"from": p.baseRef}, "sha": obj{"from": p.baseSHA}}
		p.baseRef, p.baseSHA = *base, sha
	}
	if len(changes) > 0 {
		p.updated = ps.clock.Now()
		ps.tell(r, p, "edited", who, Fields{"changes": changes})
	}
	switch {
	case state == nil || *state == p.state():
		return nil
	case *state == "closed":
		return ps.Close(r, p, who)
	}
	return ps.Reopen(r, p, who)
}

func (ps *Pulls) BringUpToDate(r *repository, p *pull, who *account) error {
	base, _ := r.git.Branch(p.baseRef)
	if p.from == nil {
		return invalid("The head repository is gone.")
	}
	if r.git.IsAncestor(base, p.headSHA) {
		return invalid("There are no new commits on the base branch.")
	}
	m, err := r.git.Merge(p.headSHA, base)
	if err != nil {
		return err
	}
	if !m.Clean() {
		return invalid("merge conflict between base and head")
	}
	sha, err := ps.refs.WriteMerge(r, m, p.headSHA, base, who, "Merge branch '"+p.baseRef+"' into "+p.headRef)
	if err != nil {
		return err
	}
	return ps.refs.Push(p.from, "refs/heads/"+p.headRef, sha, who)
}

// Disarm takes auto-merge back.
func (ps *Pulls) Disarm(r *repository, p *pull, who *account) {
	if p.autoMerge == nil {
		return
	}
	p.autoMerge = nil
	ps.tell(r, p, "auto_merge_disabled", who, Fields{"reason": "disabled"})
}

// headBranch answers where the branch of a pull request is now; false when it, or its repository, is gone.
func (p *pull) headBranch() (sha string, exists bool) {
	if p.from == nil {
		return "", false
	}
	return p.from.git.Branch(p.headRef)
}

// headCommits lists the commits of a pull request, oldest first.
func (r *repository) headCommits(p *pull) []gitstore.Commit {
	return r.git.Between(p.baseSHA, p.headSHA)
}

// changes lists the files of a pull request, against the merge base as GitHub does.
func (r *repository) changes(p *pull) ([]gitstore.FileChange, error) {
	return r.git.Diff(r.git.BaseOf(p.baseSHA, p.headSHA), p.headSHA)
}

// findPull finds a pull request by number.
func (b *Board) findPull(number int) (*pull, error) {
	i := b.issues[number]
	if i == nil || i.pull == nil {
		return nil, refuse(http.StatusNotFound, "Not Found")
	}
	return i.pull, nil
}

func (b *Board) pullByID(id int64) *pull {
	for _, i := range b.issues {
		if i.pull != nil && i.id == id {
			return i.pull
		}
	}
	return nil
}

// graphState is OPEN, CLOSED or MERGED: GraphQL tells apart what REST calls closed.
func (p *pull) graphState() string {
	if p.merged {
		return "MERGED"
	}
	return strings.ToUpper(p.state())
}

// brings reports whether a commit belongs to a pull request.
func (r *repository) brings(p *pull, sha string) bool {
	if p.merged && p.mergeSHA == sha {
		return true
	}
	for _, one := range r.headCommits(p) {
		if one.SHA == sha {
			return true
		}
	}
	return false
}

// behind reports whether the base has commits that the head does not contain.
func (r *repository) behind(p *pull) bool {
	base, exists := r.git.Branch(p.baseRef)
	return exists && !r.git.IsAncestor(base, p.headSHA)
}
