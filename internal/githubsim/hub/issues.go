package hub

import (
	"slices"
	"sort"
	"strings"
	"time"
)

// Issue is an issue, or the part of a pull request that issues also have; a pull request is an issue with a Pull.
type Issue struct {
	ID        int64
	Number    int
	Title     string
	Body      string
	Author    *Account
	Open      bool
	Locked    bool
	Created   time.Time
	Updated   time.Time
	Closed    time.Time
	ClosedBy  *Account
	Labels    []*Label
	Assignees []*Account
	Reactions []*Reaction
	Pull      *Pull
}

// Reaction is an emoji on an issue or comment.
type Reaction struct {
	ID      int64
	Author  *Account
	Content string
	Created time.Time
}

// Board holds the issues and pull requests of a repository, with their labels and comments.
type Board struct {
	Numbers  int // the last number used
	Issues   map[int]*Issue
	Labels   []*Label
	Comments []*Comment
}

// Tracker writes issues, and the numbers, comments and labels of issues and pull requests.
type Tracker struct {
	clock  *Clock
	events *Events
}

// Open creates an issue with the next number of the repository, or with a given free number.
func (t *Tracker) Open(r *Repository, number int, title, body string, author *Account) (*Issue, error) {
	if number == 0 {
		number = r.Numbers + 1
	}
	if r.Issues[number] != nil {
		return nil, Invalid("number %d is taken", number)
	}
	now := t.clock.Now()
	i := &Issue{
		ID: t.clock.NextID(), Number: number, Title: title, Body: body, Author: author, Open: true, Created: now,
		Updated: now,
	}
	r.Numbers = max(r.Numbers, number)
	r.Issues[number] = i
	return i, nil
}

// close closes an issue.
func (t *Tracker) close(i *Issue, who *Account) {
	i.Open = false
	i.Closed, i.Updated, i.ClosedBy = t.clock.Now(), t.clock.Now(), who
}

// Change edits an issue that is not a pull request. Nil leaves a field unchanged.
func (t *Tracker) Change(i *Issue, title, body, state *string, who *Account) {
	set(&i.Title, title)
	set(&i.Body, body)
	if state == nil || *state == i.State() {
		return
	}
	i.Open = *state == "open"
	if !i.Open {
		t.close(i, who)
	}
}

// Assign adds assignees to an issue.
func (t *Tracker) Assign(r *Repository, i *Issue, people []*Account, who *Account) {
	for _, a := range people {
		if slices.Contains(i.Assignees, a) {
			continue
		}
		i.Assignees = append(i.Assignees, a)
		if i.Pull != nil {
			t.events.OfRepo(r, "pull_request", "assigned", who, i.Pull, Fields{"assignee": a})
		}
	}
}

// Unassign removes assignees from an issue.
func (t *Tracker) Unassign(i *Issue, people []*Account) {
	i.Assignees = slices.DeleteFunc(i.Assignees, func(a *Account) bool { return slices.Contains(people, a) })
}

// SortedIssues lists issues and pull requests, newest first as GitHub's lists do.
func (b *Board) SortedIssues() []*Issue {
	all := make([]*Issue, 0, len(b.Issues))
	for _, i := range b.Issues {
		all = append(all, i)
	}
	sort.Slice(all, func(a, b int) bool { return all[a].Number > all[b].Number })
	return all
}

// OpenPulls lists the open pull requests, oldest first.
func (b *Board) OpenPulls() []*Pull {
	var open []*Pull
	for _, i := range b.Issues {
		if i.Open && i.Pull != nil {
			open = append(open, i.Pull)
		}
	}
	sort.Slice(open, func(a, b int) bool { return open[a].Number < open[b].Number })
	return open
}

// State returns open or closed.
func (i *Issue) State() string {
	if i.Open {
		return "open"
	}
	return "closed"
}

// HasAll reports whether an issue has all of these labels.
func (i *Issue) HasAll(labels []string) bool {
	for _, name := range labels {
		if !slices.ContainsFunc(i.Labels, func(l *Label) bool { return strings.EqualFold(l.Name, name) }) {
			return false
		}
	}
	return true
}

// OpenIssues counts the open issues and pull requests.
func (b *Board) OpenIssues() int {
	open := 0
	for _, i := range b.Issues {
		if i.Open {
			open++
		}
	}
	return open
}
