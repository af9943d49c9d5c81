package githubsim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// queueEntry is a pull request in the merge queue of its base branch. Its group is a real commit on a branch of GitHub's own, on top of
// the entry before it; checks run there.
type queueEntry struct {
	id    int64
	pull  *pull
	by    *account
	since time.Time
	base  string
	head  string
	ref   string
	jump  bool
}

// The reasons for which GitHub removes a pull request from a queue.
const (
	removedByHand    = "MANUAL"
	removedOtherwise = "ALREADY_MERGED"
	removedMerged    = "MERGE"
	removedConflict  = "MERGE_CONFLICT"
	removedChecks    = "CI_FAILURE"
	removedProtected = "BRANCH_PROTECTIONS"
)

// entriesOf lists the queue of a branch, first to merge first.
func (r *repository) entriesOf(branch string) []*queueEntry {
	var entries []*queueEntry
	for _, e := range r.queue {
		if e.pull.baseRef == branch {
			entries = append(entries, e)
		}
	}
	return entries
}

func (r *repository) entryOf(p *pull) *queueEntry {
	for _, e := range r.queue {
		if e.pull == p {
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

// Enter puts a pull request into the merge queue of its base, when nothing else is missing.
func (qs *Queues) Enter(r *repository, p *pull, jump bool, who *account) (*queueEntry, error) {
	if !r.protections[p.baseRef].MergeQueue {
		return nil, invalid("The base branch has no merge queue.")
	}
	if !p.open || p.draft {
		return nil, invalid("Pull request is not open and ready for review.")
	}
	if r.entryOf(p) != nil {
		return nil, invalid("Pull request is already in the merge queue.")
	}
	if unmet := r.unmetBesideQueue(p); len(unmet) > 0 {
		return nil, invalid("%s", strings.Join(unmet, " "))
	}
	e := &queueEntry{id: qs.clock.NextID(), pull: p, by: who, since: qs.clock.Now(), jump: jump}
	if jump {
		r.queue = slices.Insert(r.queue, 0, e)
	} else {
		r.queue = append(r.queue, e)
	}
	p.autoMerge = nil
	qs.pulls.tell(r, p, "enqueued", who, nil)
	return e, qs.run(r, p.baseRef)
}

// Leave takes a pull request out of its queue; the groups behind it are made again.
func (qs *Queues) Leave(r *repository, e *queueEntry, reason string, who *account) error {
	if err := qs.remove(r, e, reason, who); err != nil {
		return err
	}
	return qs.run(r, e.pull.baseRef)
}

// pullLeft takes a pull request out that is closed or got a new head, if it is in a queue.
func (qs *Queues) pullLeft(p *pull, reason string, who *account) error {
	if e := p.repo.entryOf(p); e != nil {
		return qs.Leave(p.repo, e, reason, who)
	}
	return nil
}

func (qs *Queues) remove(r *repository, e *queueEntry, reason string, who *account) error {
	r.queue = slices.DeleteFunc(r.queue, func(one *queueEntry) bool { return one == e })
	qs.pulls.tell(r, e.pull, "dequeued", who, obj{"reason": reason})
	destroyed := map[string]string{removedMerged: "merged", removedByHand: "dequeued"}[reason]
	return qs.destroyGroup(r, e, cmp.Or(destroyed, "invalidated"))
}

// run makes the groups of a queue that are missing or stand on an old base, and merges the one in front when it is ready.
func (qs *Queues) run(r *repository, branch string) error {
	base, _ := r.git.Branch(branch)
	for _, e := range r.entriesOf(branch) {
		if e.base != base {
			if err := qs.makeGroup(r, e, base); err != nil {
				return err
			}
		}
		if e.head == "" {
			return qs.Leave(r, e, removedConflict, e.by)
		}
		base = e.head
	}
	entries := r.entriesOf(branch)
	if len(entries) == 0 {
		return nil
	}
	switch front := entries[0]; r.groupState(front) {
	case "":
		return qs.mergeGroup(r, front) // whose push runs the queue again
	case "failing":
		return qs.Leave(r, front, removedChecks, front.by)
	}
	return nil
}

// groupState sums up the required checks of a group: empty when all are satisfied.
func (r *repository) groupState(e *queueEntry) string {
	sum := ""
	for _, name := range r.protections[e.pull.baseRef].RequiredChecks {
		switch state := r.checkState(e.head, name); state {
		case "":
		case "failing":
			return state
		default:
			sum = state
		}
	}
	return sum
}

// makeGroup squashes a pull request on top of base and asks for checks; a conflict leaves the entry without head.
func (qs *Queues) makeGroup(r *repository, e *queueEntry, base string) error {
	if err := qs.destroyGroup(r, e, "invalidated"); err != nil {
		return err
	}
	e.base, e.head = base, ""
	m, err := r.git.Merge(base, e.pull.headSHA)
	if err != nil || !m.Clean() {
		return err
	}
	if e.head, err = qs.pulls.squash(r, e.pull, base, mergeRequest{method: "squash"}, e.by); err != nil {
		return err
	}
	e.ref = fmt.Sprintf("refs/heads/gh-readonly-queue/%s/pr-%d-%s", e.pull.baseRef, e.pull.number, base)
	if err := qs.refs.Push(r, e.ref, e.head, e.by); err != nil {
		return err
	}
	qs.events.OfRepo(r, "merge_group", "checks_requested", e.by, Group{*e}, nil)
	return nil
}

func (qs *Queues) destroyGroup(r *repository, e *queueEntry, reason string) error {
	if e.ref == "" {
		return nil
	}
	group, ref := Group{*e}, e.ref
	e.ref = ""
	if err := qs.refs.Delete(r, ref, e.by); err != nil {
		return err
	}
	qs.events.OfRepo(r, "merge_group", "destroyed", e.by, group, Fields{"reason": reason})
	return nil
}

// mergeGroup lets the base branch take over the commit that was checked.
func (qs *Queues) mergeGroup(r *repository, e *queueEntry) error {
	p := e.pull
	p.commits = len(r.headCommits(p))
	p.baseSHA = e.base
	if err := qs.remove(r, e, removedMerged, e.by); err != nil {
		return err
	}
	qs.pulls.markMerged(r, p, e.head, e.by)
	return qs.refs.Push(r, "refs/heads/"+p.baseRef, e.head, e.by)
}
