package githubsim

import (
	"slices"
	"sort"
	"strings"
	"time"
)

// issue is what issues and pull requests share; a pull request is an issue with a pull.
type issue struct {
	id        int64
	number    int
	title     string
	body      string
	author    *account
	open      bool
	locked    bool
	created   time.Time
	updated   time.Time
	closed    time.Time
	closedBy  *account
	labels    []*label
	assignees []*account
	reactions []*reaction
	pull      *pull
}

// reaction is an emoji on an issue or comment.
type reaction struct {
	id      int64
	author  *account
	content string
	created time.Time
}

// Board holds the issues and pull requests of a repository, with their labels and comments.
type Board struct {
	numbers  int // the last one that was given out
	issues   map[int]*issue
	labels   []*label
	comments []*comment
}

// Tracker keeps issues, and what issues and pull requests share: numbers, comments and labels.
type Tracker struct {
	clock  *Clock
	events *Events
}

// Open gives out the next number of the repository, or a forced one that is free.
func (t *Tracker) Open(r *repository, number int, title, body string, author *account) (*issue, error) {
	if number == 0 {
		number = r.numbers + 1
	}
	if r.issues[number] != nil {
		return nil, invalid("number %d is taken", number)
	}
	now := t.clock.Now()
	i := &issue{id: t.clock.NextID(), number: number, title: title, body: body, author: author, open: true, created: now, updated: now}
	r.numbers = max(r.numbers, number)
	r.issues[number] = i
	return i, nil
}

// Close closes an issue.
func (t *Tracker) Close(i *issue, who *account) {
	i.open = false
	i.closed, i.updated, i.closedBy = t.clock.Now(), t.clock.Now(), who
}

// Change edits an issue that is no pull request. Nil leaves as is.
func (t *Tracker) Change(i *issue, title, body, state *string, who *account) {
	set(&i.title, title)
	set(&i.body, body)
	if state == nil || *state == i.state() {
		return
	}
	i.open = *state == "open"
	if !i.open {
		t.Close(i, who)
	}
}

// Assign adds people to those who look after an issue.
func (t *Tracker) Assign(r *repository, i *issue, people []*account, who *account) {
	for _, a := range people {
		if slices.Contains(i.assignees, a) {
			continue
		}
		i.assignees = append(i.assignees, a)
		if i.pull != nil {
			t.events.OfRepo(r, "pull_request", "assigned", who, i.pull, Fields{"assignee": a})
		}
	}
}

// Unassign takes people away from them.
func (t *Tracker) Unassign(i *issue, people []*account) {
	i.assignees = slices.DeleteFunc(i.assignees, func(a *account) bool { return slices.Contains(people, a) })
}

// sortedIssues lists issues and pull requests, newest first as GitHub's lists do.
func (b *Board) sortedIssues() []*issue {
	all := make([]*issue, 0, len(b.issues))
	for _, i := range b.issues {
		all = append(all, i)
	}
	sort.Slice(all, func(a, b int) bool { return all[a].number > all[b].number })
	return all
}

// openPulls lists the open pull requests, oldest first.
func (b *Board) openPulls() []*pull {
	var open []*pull
	for _, i := range b.issues {
		if i.open && i.pull != nil {
			open = append(open, i.pull)
		}
	}
	sort.Slice(open, func(a, b int) bool { return open[a].number < open[b].number })
	return open
}

func (i *issue) state() string {
	if i.open {
		return "open"
	}
	return "closed"
}

func (i *issue) hasAll(labels []string) bool {
	for _, name := range labels {
		if !slices.ContainsFunc(i.labels, func(l *label) bool { return strings.EqualFold(l.name, name) }) {
			return false
		}
	}
	return true
}

func (b *Board) openIssues() int {
	open := 0
	for _, i := range b.issues {
		if i.open {
			open++
		}
	}
	return open
}
