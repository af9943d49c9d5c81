package promotion

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// This file turns signals into verdicts (semantics 7.1 to 7.4). It never asks what the time is: silence is judged in
// silence.go.

// opinion judges one matcher of a trial.
func (j *judge) opinion(on *trial, m *Matcher) opinion {
	t := j.count(on, m)
	switch {
	case !t.seen:
		return opinion{}
	case t.open && m.decidedBySuites():
		return opinion{seen: true}
	case !t.bad.IsZero():
		return opinion{verdict: Bad, seen: true, reason: t.bad}
	case t.open:
		return opinion{seen: true}
	case !t.unclear.IsZero():
		return opinion{verdict: Undecided, seen: true, reason: t.unclear}
	case t.passed:
		return opinion{verdict: Passed, seen: true, at: t.at}
	case t.overtaken:
		return opinion{seen: true}
	}
	return lackOpinion(m.Skipped, Because(Inconclusive, m.String()), t.at)
}

// tally is what there is of a matcher's signals.
type tally struct {
	seen, open, passed bool
	overtaken          bool // something was cancelled because a later commit took its place
	bad, unclear       Reason
	at                 time.Time
}

// count looks at the runs that the matcher names and that started since the merge (semantics 7.2). A matcher that
// others on the branch share counts on the merge commit only, because a promotion into one of them starts the same
// checks.
func (j *judge) count(on *trial, m *Matcher) tally {
	var t tally
	e := j.s.evidence(on.arrival)
	if e == nil {
		return t
	}
	for i := range e.Runs {
		g := &e.Runs[i]
		suite := e.suite(g)
		if !m.Names(g) || g.Started.Before(on.since) || suite.ofOurs() {
			continue
		}
		later, overtaken := g.SHA != on.arrival.Commit, g.overtaken(e.Head)
		if later && j.shares(on, m) {
			continue
		}
		t.seen = true
		t.weigh(g, suite, m, overtaken && (later || !j.shares(on, m)))
	}
	return t
}

// overtaken reports whether a check was cancelled on another commit than the newest.
func (g *Signal) overtaken(head SHA) bool {
	return g.Kind == KindCheck && g.State == "cancelled" && g.SHA != head
}

// weigh adds one run to the tally. overtaken says that it was cancelled because of a later commit, which counts, too.
func (t *tally) weigh(g *Signal, suite *Suite, m *Matcher, overtaken bool) {
	if m.decidedBySuites() && (suite == nil || !suite.Completed) {
		t.open = true
	}
	if g.Ended.After(t.at) {
		t.at = g.Ended
	}
	switch g.outcome(suite) {
	case Passed:
		t.passed = true
	case Bad:
		if t.bad.IsZero() {
			t.bad = Because(FailedCheck, m.String()).At(g.URL)
		}
	case Pending:
		t.open = true
	case Undecided:
		if overtaken {
			t.overtaken = true
		} else if t.unclear.IsZero() {
			t.unclear = Because(Inconclusive, m.String()).At(g.URL)
		}
	}
}

// none is the outcome of a signal that counts for nothing.
const none Verdict = "none"

// outcome is what one signal says by itself.
func (g *Signal) outcome(suite *Suite) Verdict {
	switch g.Kind {
	case KindStatus:
		return statusOutcomes[g.State]
	case KindDeployment:
		return deploymentOutcomes[g.State]
	case KindRun:
		return runOutcomes[g.State]
	}
	if g.State == "skipped" {
		return suite.skipped()
	}
	return checkOutcomes[g.State]
}

// skipped is what a skipped run of the suite says: that another job has failed, if the suite has; else nothing. Before
// the suite is completed nobody can tell.
func (s *Suite) skipped() Verdict {
	switch {
	case s == nil || !s.Completed:
		return Pending
	case failures[s.Conclusion]:
		return Bad
	}
	return none
}

// What is not listed is pending: queued, in_progress, waiting, requested and whatever GitHub thinks of next.
var (
	checkOutcomes = map[string]Verdict{
		"success": Passed, "failure": Bad, "timed_out": Bad, "startup_failure": Bad,
		"neutral":   none,
		"cancelled": Undecided, "action_required": Undecided, "stale": Undecided,
	}
	statusOutcomes = map[string]Verdict{"success": Passed, "failure": Bad, "error": Bad}
	runOutcomes    = map[string]Verdict{
		"success": Passed, "failure": Bad, "timed_out": Bad, "startup_failure": Bad,
		"cancelled": Undecided, "action_required": Undecided, "stale": Undecided, "skipped": Undecided, "neutral": Undecided,
	}
	deploymentOutcomes = map[string]Verdict{"success": Passed, "failure": Bad, "error": Bad, "inactive": none}
	failures           = map[string]bool{"failure": true, "timed_out": true, "startup_failure": true}
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

// ofOurs reports whether the suite ran on a branch of ours, else merge-queue runs would verify themselves.
func (s *Suite) ofOurs() bool { return s != nil && strings.HasPrefix(s.Branch, prefix) }

// suite returns the suite of a check run; nil if nobody knows it, or it is none.
func (e *Evidence) suite(g *Signal) *Suite {
	if g.Kind != KindCheck {
		return nil
	}
	i, known := slices.BinarySearchFunc(e.Suites, g.Suite, func(s Suite, id int64) int { return cmp.Compare(s.ID, id) })
	if !known {
		return nil
	}
	return &e.Suites[i]
}

// touchesAny reports whether one of the paths is a file that the stage changes.
func (s *Stage) touchesAny(paths []string) bool {
	for _, p := range paths {
		if s.Touches(p) {
			return true
		}
	}
	return false
}

// Overlaps reports whether there can be a signal that both matchers take for theirs.
func (m *Matcher) Overlaps(o *Matcher) bool {
	anyApp := m.App == "" || o.App == ""
	return m.Kind == o.Kind && (anyApp || m.App == o.App) && overlap(m.Pattern, o.Pattern)
}

// overlap reports whether some name matches both patterns. What stands between the stars of two patterns can always
// stand one behind the other in a name; what stands before the first and behind the last must fit.
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

// ends returns what stands before the first star of a pattern and behind the last.
func ends(pattern string) (head, tail string) {
	return pattern[:strings.Index(pattern, "*")], pattern[strings.LastIndex(pattern, "*")+1:]
}

// decidedBySuites reports whether the matcher waits for whole suites: a pattern cannot know which jobs are still to
// come.
func (m *Matcher) decidedBySuites() bool {
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
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(name, rest)
		}
		_, name, found = strings.Cut(name, part)
		rest = more
	}
	return false
}
