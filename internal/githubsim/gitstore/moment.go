package gitstore

import "maps"

// Moment is a repository as it was at a time: its references, and the number of objects.
type Moment struct {
	refs    map[string]string
	objects int
}

// Moment returns the current state.
func (r *Repo) Moment() Moment { return Moment{maps.Clone(r.refs), r.written} }

// At returns the repository as it was at a moment, for reading.
func (r *Repo) At(m Moment) *Repo {
	then := *r.Objects
	then.until, then.commits = m.objects, map[string]Commit{}
	return &Repo{Objects: &then, dir: r.dir, branch: r.branch, refs: m.refs}
}
