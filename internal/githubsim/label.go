package githubsim

import "slices"

// label is a label of a repository.
type label struct {
	id          int64
	name        string
	color       string
	description string
}

func (v *Render) Label(r *repository, l *label) obj {
	return obj{
		"id": l.id, "node_id": nodeID("LA", l.id), "url": v.API(r, "/labels/"+l.name), "name": l.name, "color": l.color,
		"description": l.description, "default": false,
	}
}

func (v *Render) labels(r *repository, labels []*label) []any {
	return renderAll(labels, func(l *label) any { return v.Label(r, l) })
}

// label finds a label by name; names differ in more than case.
func (r *repository) label(name string) (*label, bool) {
	for _, l := range r.labels {
		if sameLogin(l.name, name) {
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
	at := slices.IndexFunc(i.labels, func(l *label) bool { return sameLogin(l.name, name) })
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
