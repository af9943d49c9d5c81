package promotion

import (
	"slices"
	"time"
)

// Plan has the contents that a promotion would write, computed from the files at Base.
type Plan struct {
	Round   int // 1 for the first plan of a promotion, one more for each made anew
	Base    SHA
	At      time.Time
	Read    time.Time    // when the files were read, by GitHub's clock
	Paths   []string     // the files that change, in the order of the pipeline file; empty: nothing would change
	Values  []Value      // the value after the promotion at every place that it sets, changed or not
	Hash    string       // of the resulting contents: a sign-off binds to it, and it tells who wrote them first
	Problem Reason       // Unreadable PATH, when a file or a path in it is not there
	Absent  []TargetName // those of the step's targets that cannot take part yet, because a file of theirs is not there
	Asks    string       // what the pipeline file asked for, as Stage.Asks has it; empty: not known
	Notes   *Notes       // for the people who decide about it; nil: there are none
}

// And returns both plans as one, as far as people see them: their files and values, and the first problem.
func (p Plan) And(more Plan) Plan {
	p.Paths, p.Values, p.Absent = slices.Concat(p.Paths, more.Paths), slices.Concat(p.Values, more.Values),
		slices.Concat(p.Absent, more.Absent)
	if p.Problem.IsZero() {
		p.Problem = more.Problem
	}
	return p
}

// Unreadable reports whether there is a plan that found a file missing, or one that cannot be changed.
func (p *Plan) Unreadable() bool { return p != nil && p.Problem.Code == Unreadable }

// Lacks reports whether a target cannot take part yet.
func (p *Plan) Lacks(t TargetName) bool { return slices.Contains(p.Absent, t) }
