package promotion

import (
	"cmp"
	"slices"
	"strings"
)

// Names reports whether a signal is of the kind and name that the matcher waits for, by the app or the pipeline that
// it trusts. Statuses and deployments say nothing of who wrote them.
func (m *Matcher) Names(g *Signal) bool {
	if g.Kind != m.Kind || !Match(m.Pattern, g.Name) {
		return false
	}
	written := g.Kind == KindCheck || g.Kind == KindRun
	return !written || m.App == "" || g.App == m.App
}

// OfOurs reports whether the suite ran on a branch of ours, else merge-queue runs would verify themselves.
func (s *Suite) OfOurs() bool { return s != nil && strings.HasPrefix(s.Branch, prefix) }

// Suite returns the suite of a check run; nil if it is not known, or the signal is no check run.
func (e *Evidence) Suite(g *Signal) *Suite {
	if g.Kind != KindCheck {
		return nil
	}
	i, known := slices.BinarySearchFunc(e.Suites, g.Suite, func(s Suite, id int64) int { return cmp.Compare(s.ID, id) })
	if !known {
		return nil
	}
	return &e.Suites[i]
}

// Overlaps reports whether there can be a signal that both matchers take for theirs.
func (m *Matcher) Overlaps(o *Matcher) bool {
	anyApp := m.App == "" || o.App == ""
	return m.Kind == o.Kind && (anyApp || m.App == o.App) && overlap(m.Pattern, o.Pattern)
}

// overlap reports whether some name matches both patterns. The parts between the stars of two patterns can always stand
// one behind the other in a name; the parts before the first star and behind the last must fit.
func overlap(a, b string) bool {
	if !strings.Contains(a, "*") || !strings.Contains(b, "*") {
		return Match(a, b) || Match(b, a)
	}
	headA, tailA := ends(a)
	headB, tailB := ends(b)
	heads := strings.HasPrefix(headA, headB) || strings.HasPrefix(headB, headA)
	tails := strings.HasSuffix(tailA, tailB) || strings.HasSuffix(tailB, tailA)
	return heads && tails
}

// ends returns the parts before the first star of a pattern and behind the last.
func ends(pattern string) (head, tail string) {
	return pattern[:strings.Index(pattern, "*")], pattern[strings.LastIndex(pattern, "*")+1:]
}

// DecidedBySuites reports whether the matcher waits for whole suites: a pattern cannot know which jobs are still to
// come.
func (m *Matcher) DecidedBySuites() bool {
	return m.Kind == KindCheck && strings.Contains(m.Pattern, "*")
}

// String returns the pattern as written in the pipeline file.
func (m *Matcher) String() string { return m.Pattern }

// Match reports whether name matches a pattern in which * stands for any characters, none included. Each part between
// stars is taken where it comes first: a later place could not match more, and trying them all would let a pattern
// with many stars take forever.
func Match(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	name, found := strings.CutPrefix(name, head)
	for found {
		result, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(name, rest)
		}
		_, name, found = strings.Cut(name, result)
		rest = more
	}
	return false
}
