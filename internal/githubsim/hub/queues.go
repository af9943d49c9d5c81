package hub

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// QueueEntry is a pull request in the merge queue of its base branch. Its group is a real commit on a branch made by
// GitHub, on top of the entry before it; checks run on this commit.
type QueueEntry struct {
	ID    int64
	Pull  *Pull
	By    *Account
	Since time.Time
	Base  string
	Head  string
	Ref   string
	Jump  bool
}

// The reasons for which GitHub removes a pull request from a queue.
const (
	RemovedByHand    = "MANUAL"
	removedOtherwise = "ALREADY_MERGED"
	removedMerged    = "MERGE"
	removedConflict  = "MERGE_CONFLICT"
	removedChecks    = "CI_FAILURE"
	removedProtected = "BRANCH_PROTECTIONS"
)

// EntriesOf lists the queue of a branch in merge order.
func (r *Repository) EntriesOf(branch string) []*QueueEntry {
	var entries []*QueueEntry
	for _, e := range r.queue {
		if e.Pull.BaseRef == branch {
			entries = append(entries, e)
		}
	}
	return entries
}

// EntryOf returns the queue entry of a pull request, or nil.
func (r *Repository) EntryOf(p *Pull) *QueueEntry {
	for _, e := range r.queue {
		if e.Pull == p {
			return e
		}
	}
	return nil
}

// Queues runs the merge queues of protected branches.
type Queues struct {
	clock  *Clock
	events *Events
	refs   *Refs
	pulls  *Pulls
}

// Enter adds a pull request to the merge queue of its base, if no other requirement is missing.
func (qs *Queues) Enter(r *Repository, p *Pull, jump bool, who *Account) (*QueueEntry, error) {
	if !r.Protections[p.BaseRef].MergeQueue {
		return nil, Invalid("The base branch has no merge queue.")
	}
	if !p.Open || p.Draft {
		return nil, Invalid("Pull request is not open and ready for review.")
	}
	if r.EntryOf(p) != nil {
		return nil, Invalid("Pull request is already in the merge queue.")
	}
	if unmet := r.unmetBesideQueue(p); len(unmet) > 0 {
		return nil, Invalid("%s", strings.Join(unmet, " "))
	}
	e := &QueueEntry{ID: qs.clock.NextID(), Pull: p, By: who, Since: qs.clock.Now(), Jump: jump}
	if jump {
		r.queue = slices.Insert(r.queue, 0, e)
	} else {
		r.queue = append(r.queue, e)
	}
	p.AutoMerge = nil
	qs.pulls.tell(r, p, "enqueued", who, nil)
	return e, qs.run(r, p.BaseRef)
}

// Leave removes a pull request from its queue; the later groups are created again.
func (qs *Queues) Leave(r *Repository, e *QueueEntry, reason string, who *Account) error {
	if err := qs.remove(r, e, reason, who); err != nil {
		return err
	}
	return qs.run(r, e.Pull.BaseRef)
}

// pullLeft removes a pull request that was closed or got a new head from its queue, if it is in one.
func (qs *Queues) pullLeft(p *Pull, reason string, who *Account) error {
	if e := p.Repo.EntryOf(p); e != nil {
		return qs.Leave(p.Repo, e, reason, who)
	}
	return nil
}

func (qs *Queues) remove(r *Repository, e *QueueEntry, reason string, who *Account) error {
	r.queue = slices.DeleteFunc(r.queue, func(one *QueueEntry) bool { return one == e })
	qs.pulls.tell(r, e.Pull, "dequeued", who, Fields{"reason": reason})
	destroyed := map[string]string{removedMerged: "merged", RemovedByHand: "dequeued"}[reason]
	return qs.destroyGroup(r, e, cmp.Or(destroyed, "invalidated"))
}

// run creates the groups of a queue that are missing or have an old base, and merges the first one when it is ready.
func (qs *Queues) run(r *Repository, branch string) error {
	base, _ := r.git.Branch(branch)
	for _, e := range r.EntriesOf(branch) {
		if e.Base != base {
			if err := qs.makeGroup(r, e, base); err != nil {
				return err
			}
		}
		if e.Head == "" {
			return qs.Leave(r, e, removedConflict, e.By)
		}
		base = e.Head
	}
	entries := r.EntriesOf(branch)
	if len(entries) == 0 {
		return nil
	}
	switch front := entries[0]; r.GroupState(front) {
	case "":
		return qs.mergeGroup(r, front) // its push runs the queue again
	case "failing":
		return qs.Leave(r, front, removedChecks, front.By)
	}
	return nil
}

// GroupState returns the summary of a group's required checks, or "" if all are satisfied.
func (r *Repository) GroupState(e *QueueEntry) string {
	sum := ""
	protection := r.Protections[e.Pull.BaseRef]
	for _, name := range protection.RequiredChecks {
		switch state := r.CheckStateOf(e.Head, name, protection.CheckApp); state {
		case "":
		case "failing":
			return state
		default:
			sum = state
		}
	}
	return sum
}

// makeGroup squashes a pull request on top of base and requests checks; a conflict leaves the entry without head.
func (qs *Queues) makeGroup(r *Repository, e *QueueEntry, base string) error {
	if err := qs.destroyGroup(r, e, "invalidated"); err != nil {
		return err
	}
	e.Base, e.Head = base, ""
	m, err := r.git.Merge(base, e.Pull.HeadSHA)
	if err != nil || !m.Clean() {
		return err
	}
	if e.Head, err = qs.pulls.mergeCommit(r, e.Pull, base, MergeRequest{Method: "squash"}, e.By); err != nil {
		return err
	}
	e.Ref = fmt.Sprintf("refs/heads/gh-readonly-queue/%s/pr-%d-%s", e.Pull.BaseRef, e.Pull.Number, base)
	if err := qs.refs.Push(r, e.Ref, e.Head, e.By); err != nil {
		return err
	}
	qs.events.OfRepo(r, "merge_group", "checks_requested", e.By, Group{*e}, nil)
	return nil
}

func (qs *Queues) destroyGroup(r *Repository, e *QueueEntry, reason string) error {
	if e.Ref == "" {
		return nil
	}
	group, ref := Group{*e}, e.Ref
	e.Ref = ""
	if err := qs.refs.Delete(r, ref, e.By); err != nil {
		return err
	}
	qs.events.OfRepo(r, "merge_group", "destroyed", e.By, group, Fields{"reason": reason})
	return nil
}

// mergeGroup moves the base branch to the commit that was checked.
func (qs *Queues) mergeGroup(r *Repository, e *QueueEntry) error {
	p := e.Pull
	p.Commits = len(r.HeadCommits(p))
	p.BaseSHA = e.Base
	if err := qs.remove(r, e, removedMerged, e.By); err != nil {
		return err
	}
	qs.pulls.markMerged(r, p, e.Head, e.By)
	return qs.refs.push(r, "refs/heads/"+p.BaseRef, e.Head, e.By, "merge_queue_merge")
}
