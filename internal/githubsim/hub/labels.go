package hub

import (
	"cmp"
	"slices"
	"strings"
)

// Label is a label of a repository.
type Label struct {
	ID          int64
	Name        string
	Color       string
	Description string
}

// Label finds a label by its name, ignoring case.
func (b *Board) Label(name string) (*Label, bool) {
	for _, l := range b.Labels {
		if strings.EqualFold(l.Name, name) {
			return l, true
		}
	}
	return nil, false
}

// labelNamed returns a label. It creates a missing one in the grey of labels that GitHub creates implicitly.
func (t *Tracker) labelNamed(r *Repository, name string) *Label {
	if l, found := r.Label(name); found {
		return l
	}
	l := &Label{ID: t.clock.NextID(), Name: name, Color: "ededed"}
	r.Labels = append(r.Labels, l)
	return l
}

// PutLabel adds a label to an issue, once.
func (t *Tracker) PutLabel(r *Repository, i *Issue, name string, who *Account) {
	l := t.labelNamed(r, name)
	if slices.Contains(i.Labels, l) {
		return
	}
	i.Labels = append(i.Labels, l)
	i.Updated = t.clock.Now()
	t.tellLabelled(r, i, l, "labeled", who)
}

// TakeLabel removes a label from an issue. It returns false if the issue does not have it.
func (t *Tracker) TakeLabel(r *Repository, i *Issue, name string, who *Account) bool {
	at := slices.IndexFunc(i.Labels, func(l *Label) bool { return strings.EqualFold(l.Name, name) })
	if at < 0 {
		return false
	}
	l := i.Labels[at]
	i.Labels = slices.Delete(slices.Clone(i.Labels), at, at+1)
	i.Updated = t.clock.Now()
	t.tellLabelled(r, i, l, "unlabeled", who)
	return true
}

func (t *Tracker) tellLabelled(r *Repository, i *Issue, l *Label, action string, who *Account) {
	if i.Pull != nil {
		t.events.OfRepo(r, "pull_request", action, who, i.Pull, Fields{"label": l})
		return
	}
	t.events.OfRepo(r, "issues", action, who, i, Fields{"label": l})
}

// SetLabels makes the labels of an issue exactly these.
func (t *Tracker) SetLabels(r *Repository, i *Issue, names []string, who *Account) {
	for _, l := range slices.Clone(i.Labels) {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, l.Name) }) {
			t.TakeLabel(r, i, l.Name, who)
		}
	}
	for _, name := range names {
		t.PutLabel(r, i, name, who)
	}
}

// MakeLabel makes a label of a repository; the default colour is grey.
func (t *Tracker) MakeLabel(r *Repository, name, color, description string, who *Account) *Label {
	l := t.labelNamed(r, name)
	l.Color, l.Description = cmp.Or(color, l.Color), description
	t.events.OfRepo(r, "label", "created", who, l, nil)
	return l
}

// ChangeLabel edits a label. Nil leaves a field unchanged.
func (t *Tracker) ChangeLabel(l *Label, name, color, description *string) {
	set(&l.Name, name)
	set(&l.Color, color)
	set(&l.Description, description)
}

// DeleteLabel removes a label from a repository and from all its issues.
func (t *Tracker) DeleteLabel(r *Repository, l *Label, who *Account) {
	for _, i := range r.Issues {
		i.Labels = slices.DeleteFunc(i.Labels, func(one *Label) bool { return one == l })
	}
	r.Labels = slices.DeleteFunc(r.Labels, func(one *Label) bool { return one == l })
	t.events.OfRepo(r, "label", "deleted", who, l, nil)
}
