package main

// rule is a rule of the house, broken on purpose: a piece of a file and what stands there instead.
type rule struct {
	name     string
	file     string
	old, new string
}

// rules are those that the stories or the torture must notice. Each names what would be so if it were broken.
var rules = []rule{
	{"the queue does not wait for the verdict", "promotion/state.go",
		"s == WaitingForMerge || s == Verifying }", "s == WaitingForMerge }"},
	{"freight need not soak", "promotion/records.go",
		"return instantOf(r.Since) + instant(soak)", "return instantOf(r.Since)"},
	{"what failed upstream passes", "promotion/records.go",
		"case s.Verdict == Bad:\n", "case s.Verdict == Bad:\n\t\t\tr.Verdict, r.Since = Passed, s.Entered\n"},
	{"what failed upstream after it was queued is promoted", "promotion/queue.go",
		"else if why := w.failedUpstream(p); !why.IsZero() {", "else if why := w.failedUpstream(p); false {"},
	{"a hold does not stop merges", "promotion/merge.go",
		"if r := w.stopped(p.Class); !r.IsZero() {", "if r := w.stopped(p.Class); false {"},
	{"a hold does not stop starts", "promotion/queue.go",
		"if r := w.stopped(p.Class); !r.IsZero() {", "if r := w.stopped(p.Class); false {"},
	{"a person's hold does not stop a rollback", "promotion/holds.go",
		"if h != nil && c == Rollback && h.By.Bot() {", "if h != nil && c == Rollback {"},
	{"anybody who may write lifts a person's hold", "promotion/stop.go",
		"listed || r.Permission >= Maintain", "listed || r.Permission >= Write"},
	{"automation goes backward", "promotion/queue.go",
		"if !mark.before(f) {\n\t\t\treturn\n\t\t}", "if mark.Number == f.Number {\n\t\t\treturn\n\t\t}"},
	{"what has had a promotion comes back by itself", "promotion/queue.go",
		"if m.Warehouse == warehouse {", "if m.Warehouse == warehouse && len(s.Promotions) == 0 {"},
	{"a sign-off of another plan counts", "promotion/queue.go",
		" && a.Plan == w.attempt(p.Number).planHash() && ", " && "},
	{"a pattern is decided before its suites are completed", "promotion/verification.go",
		"(suite == nil || !suite.Completed) {\n\t\tt.open = true", "(suite == nil || !suite.Completed) {\n\t\tt.open = false"},
	{"a run from before the merge counts", "promotion/verification.go",
		" || g.Started.Before(stay.Since)", ""},
	{"an older run of the same name counts", "promotion/verification.go",
		"o.ID > g.ID && ", "o.ID < g.ID && "},
	{"what was cancelled counts as passed", "promotion/verification.go",
		`"cancelled": Undecided,`, `"cancelled": Passed,`},
	{"newer freight does not take the place of what waits", "promotion/queue.go",
		"w.supersede(f)\n", ""},
	{"a timer decides without asking GitHub", "promotion/silence.go",
		"return !w.attempt(p.Number).Observed.Before(deadline)", "return true"},
	{"a failed verification cancels nothing", "promotion/judge.go",
		"if p.Class == Automatic {\n\t\t\tw.end(p.Number, Cancelled, because)", "if p.Class == Rollback {\n\t\t\tw.end(p.Number, Cancelled, because)"},
	{"a rollback waits behind automation", "promotion/queue.go",
		"if p.Class.rank() != q.Class.rank() {", "if false {"},
	{"a pull request that a person closed is opened again", "promotion/follow.go",
		"case pull != nil && pull.State == PullClosed:", "case pull != nil && pull.State == PullClosed && a.Built > 1:"},
	{"our own merge is not pinned to what was seen", "app/merge.go",
		"Head: j.attempt.HeadSHA, Method:", "Method:"},
	{"an effect that was tried before is not looked up first", "app/open.go",
		"Fresh: j.Attempts == 1,", "Fresh: true,"},
	{"what a delivery says is not written down", "app/intake.go",
		"if write != nil {\n", "if write != nil && d.Attempts > 1 {\n"},
}
