package githubsim

import (
	"cmp"
	"slices"
	"strings"
)

// label is a label of a repository.
type label struct {
	id          int64
	name        string
	color       string
	description string
}

// label finds a label by name; names differ in more than case.
func (b *Board) label(name string) (*label, bool) {
	for _, l := range b.labels {
		if strings.EqualFold(l.name, name) {
			return l, true
		}
	}
	return nil, false
}

// LabelNamed finds a label or makes it, in the grey that GitHub gives to labels made by putting them on something.
func (t *Tracker) LabelNamed(r *repository, name string) *label {
	if l, found := r.label(name); found {
		return l
	}
	l := &label{id: t.clock.NextID(), name: name, color: "ededed"}
	r.labels = append(r.labels, l)
	return l
}

// PutLabel puts a label on an issue, once.
func (t *Tracker) PutLabel(r *repository, i *issue, name string, who *account) {
	l := t.LabelNamed(r, name)
	if slices.Contains(i.labels, l) {
		return
	}
	i.labels = append(i.labels, l)
	i.updated = t.clock.Now()
	t.tellLabelled(r, i, l, "labeled", who)
}

// TakeLabel takes a label off an issue; false when it was not there.
func (t *Tracker) TakeLabel(r *repository, i *issue, name string, who *account) bool {
	at := slices.IndexFunc(i.labels, func(l *label) bool { return strings.EqualFold(l.name, name) })
	if at < 0 {
		return false
	}
	l := i.labels[at]
	i.labels = slices.Delete(slices.Clone(i.labels), at, at+1)
	i.updated = t.clock.Now()
	t.tellLabelled(r, i, l, "unlabeled", who)
	return true
}

func (t *Tracker) tellLabelled(r *repository, i *issue, l *label, action string, who *account) {
	if i.pull != nil {
		t.events.OfRepo(r, "pull_request", action, who, i.pull, Fields{"label": l})
		return
	}
	t.events.OfRepo(r, "issues", action, who, i, Fields{"label": l})
}

// setLabels makes the labels of an issue exactly these.
func (t *Tracker) SetLabels(r *repository, i *issue, names []string, who *account) {
	for _, l := range slices.Clone(i.labels) {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, l.name) }) {
			t.TakeLabel(r, i, l.name, who)
		}
	}
	for _, name := range names {
		t.PutLabel(r, i, name, who)
	}
}

// MakeLabel makes a label of a repository; without a colour it is grey.
func (t *Tracker) MakeLabel(r *repository, name, color, description string, who *account) *label {
	l := t.LabelNamed(r, name)
	l.color, l.description = cmp.Or(color, l.color), description
	t.events.OfRepo(r, "label", "created", who, l, nil)
	return l
}

// ChangeLabel edits a label. Nil leaves as is.
func (t *Tracker) ChangeLabel(l *label, name, color, description *string) {
	set(&l.name, name)
	set(&l.color, color)
	set(&l.description, description)
}

// DeleteLabel takes a label away from a repository, and off everything in it.
func (t *Tracker) DeleteLabel(r *repository, l *label, who *account) {
	for _, i := range r.issues {
		i.labels = slices.DeleteFunc(i.labels, func(one *label) bool { return one == l })
	}
	r.labels = slices.DeleteFunc(r.labels, func(one *label) bool { return one == l })
	t.events.OfRepo(r, "label", "deleted", who, l, nil)
}
