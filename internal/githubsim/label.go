package githubsim

import "slices"

// label is a label of a repository.
type label struct {
	id          int64
	name        string
	color       string
	description string
}

func (w *world) labelJSON(r *repository, l *label) obj {
	return obj{
		"id": l.id, "node_id": nodeID("LA", l.id), "url": w.apiURL(r, "/labels/"+l.name), "name": l.name, "color": l.color,
		"description": l.description, "default": false,
	}
}

func (w *world) labelsJSON(r *repository, labels []*label) []any {
	return renderAll(labels, func(l *label) any { return w.labelJSON(r, l) })
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

// labelNamed finds a label or makes it, in the grey that GitHub gives to labels made by putting them on something.
func (w *world) labelNamed(r *repository, name string) *label {
	if l, found := r.label(name); found {
		return l
	}
	l := &label{id: w.nextID(), name: name, color: "ededed"}
	r.labels = append(r.labels, l)
	return l
}

// putLabel puts a label on an issue, once.
func (w *world) putLabel(r *repository, i *issue, name string, who *account) {
	l := w.labelNamed(r, name)
	if slices.Contains(i.labels, l) {
		return
	}
	i.labels = append(i.labels, l)
	i.updated = w.now()
	w.emitLabelled(r, i, l, "labeled", who)
}

// takeLabel takes a label off an issue; false when it was not there.
func (w *world) takeLabel(r *repository, i *issue, name string, who *account) bool {
	at := slices.IndexFunc(i.labels, func(l *label) bool { return sameLogin(l.name, name) })
	if at < 0 {
		return false
	}
	l := i.labels[at]
	i.labels = slices.Delete(slices.Clone(i.labels), at, at+1)
	i.updated = w.now()
	w.emitLabelled(r, i, l, "unlabeled", who)
	return true
}

func (w *world) emitLabelled(r *repository, i *issue, l *label, action string, who *account) {
	extra := obj{"label": w.labelJSON(r, l)}
	if i.pull != nil {
		w.emitPull(r, i.pull, action, who, extra)
		return
	}
	extra["issue"] = w.issueJSON(r, i)
	w.emitRepo(r, "issues", action, who, extra)
}
