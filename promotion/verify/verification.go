package verify

import (
	"time"

	"waybill/promotion"
)

// This file turns signals into verdicts (semantics 7.1 to 7.4), at any time. silence.go judges a lack of them.

// hear judges one matcher of a trial by its signals.
func (j Judge) hear(on *trial, m *promotion.Matcher) Opinion {
	t := j.count(on, m)
	switch {
	case !t.seen:
		return Opinion{}
	case t.open && m.DecidedBySuites():
		return Opinion{Seen: true}
	case !t.bad.IsZero():
		return Opinion{Verdict: promotion.Bad, Seen: true, Reason: t.bad}
	case t.open:
		return Opinion{Seen: true}
	case !t.unclear.IsZero():
		return Opinion{Verdict: promotion.Undecided, Seen: true, Reason: t.unclear}
	case t.passed:
		return Opinion{Verdict: promotion.Passed, Seen: true, At: t.at}
	case t.overtaken:
		return Opinion{Seen: true}
	}
	return lackOpinion(m.Skipped, promotion.Because(promotion.Inconclusive, m.String()), t.at)
}

// isOfAnother reports whether a signal is the run of a workflow that another promotion has started. It may be on the
// same commit: a workflow changes no file.
func (on *trial) isOfAnother(g *promotion.Signal) bool {
	return g.Kind == promotion.KindRun && on.brought != 0 && g.Suite != int64(on.brought)
}

// matched are the signals of a matcher, by result.
type matched struct {
	seen, open, passed bool
	overtaken          bool // something was cancelled because a later commit took its place
	bad, unclear       promotion.Reason
	at                 time.Time
}

// count looks at the runs that the matcher names and that started since the merge (semantics 7.2). A matcher that
// others on the branch share counts on the merge commit only, because a promotion into one of them starts the same
// checks.
func (j Judge) count(on *trial, m *promotion.Matcher) matched {
	var t matched
	e := j.s.EvidenceOf(on.arrival)
	if e == nil {
		return t
	}
	for i := range e.Runs {
		g := &e.Runs[i]
		suite := e.Suite(g)
		if !m.Names(g) || g.Started.Before(on.since) || suite.OfOurs() || on.isOfAnother(g) {
			continue
		}
		later, overtaken := g.SHA != on.arrival.Commit, overtaken(g, e.Head)
		if later && j.shares(on, m) {
			continue
		}
		t.seen = true
		t.weigh(g, suite, m, overtaken && (later || !j.shares(on, m)))
	}
	return t
}

// Cancelled reports whether a check among some runs was cancelled, so that it matters which head is the newest.
func Cancelled(runs []promotion.Signal) bool {
	for i := range runs {
		if wasCancelled(&runs[i]) {
			return true
		}
	}
	return false
}

func wasCancelled(g *promotion.Signal) bool {
	return g.Kind == promotion.KindCheck && g.State == "cancelled"
}

// overtaken reports whether a check was cancelled on another commit than the newest.
func overtaken(g *promotion.Signal, head promotion.SHA) bool {
	return wasCancelled(g) && g.SHA != head
}

// weigh adds one run to the summary. overtaken says that it was cancelled because of a later commit, which counts, too.
func (t *matched) weigh(g *promotion.Signal, suite *promotion.Suite, m *promotion.Matcher, overtaken bool) {
	if m.DecidedBySuites() && (suite == nil || !suite.Completed) {
		t.open = true
	}
	if g.Ended.After(t.at) {
		t.at = g.Ended
	}
	switch outcome(g, suite) {
	case promotion.Passed:
		t.passed = true
	case promotion.Bad:
		if t.bad.IsZero() {
			t.bad = promotion.Because(promotion.FailedCheck, m.String()).At(g.URL)
		}
	case promotion.Pending:
		t.open = true
	case promotion.Undecided:
		if overtaken {
			t.overtaken = true
		} else if t.unclear.IsZero() {
			t.unclear = promotion.Because(promotion.Inconclusive, m.String()).At(g.URL)
		}
	}
}

// none is the outcome of a signal that counts for nothing.
const none promotion.Verdict = "none"

// outcome is the result of one signal by itself.
func outcome(g *promotion.Signal, suite *promotion.Suite) promotion.Verdict {
	switch g.Kind {
	case promotion.KindStatus:
		return statusOutcomes[g.State]
	case promotion.KindDeployment:
		return deploymentOutcomes[g.State]
	case promotion.KindRun:
		return runOutcomes[g.State]
	}
	if g.State == "skipped" {
		return skipped(suite)
	}
	return checkOutcomes[g.State]
}

// skipped is the result of a skipped run of the suite: that another job has failed, if the suite has; else nothing.
// Before the suite is completed it is not known.
func skipped(s *promotion.Suite) promotion.Verdict {
	switch {
	case s == nil || !s.Completed:
		return promotion.Pending
	case failures[s.Conclusion]:
		return promotion.Bad
	}
	return none
}

// A state that is not listed is pending: queued, in_progress, waiting, requested and any that GitHub may add.
var (
	checkOutcomes = map[string]promotion.Verdict{
		"success":         promotion.Passed,
		"failure":         promotion.Bad,
		"timed_out":       promotion.Bad,
		"startup_failure": promotion.Bad,
		"neutral":         none,
		"cancelled":       promotion.Undecided,
		"action_required": promotion.Undecided,
		"stale":           promotion.Undecided,
	}
	statusOutcomes = map[string]promotion.Verdict{
		"success": promotion.Passed,
		"failure": promotion.Bad,
		"error":   promotion.Bad,
	}
	runOutcomes = map[string]promotion.Verdict{
		"success":         promotion.Passed,
		"failure":         promotion.Bad,
		"timed_out":       promotion.Bad,
		"startup_failure": promotion.Bad,
		"cancelled":       promotion.Undecided,
		"action_required": promotion.Undecided,
		"stale":           promotion.Undecided,
		"skipped":         promotion.Undecided,
		"neutral":         promotion.Undecided,
	}
	deploymentOutcomes = map[string]promotion.Verdict{
		"success":  promotion.Passed,
		"failure":  promotion.Bad,
		"error":    promotion.Bad,
		"inactive": none,
	}
	failures = map[string]bool{"failure": true, "timed_out": true, "startup_failure": true}
)
