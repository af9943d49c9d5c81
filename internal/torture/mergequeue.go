package torture

import (
	"slices"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// gate is the check that a merge queue asks for.
const gate = "ci"

// protect gives the branch of the stages a merge queue. People may go around it.
func (w *World) protect() error {
	p := githubsim.Protection{MergeQueue: true, Bypass: []string{"ann", "bob"}}
	if w.shape.Gated {
		p.RequiredChecks = []string{gate}
	}
	return w.github.Protect(shape.Home, "main", p)
}

// atGate has CI decide about what goes through the merge queue, or a person put something into it or take it out.
func (w *World) atGate(a Act) {
	pulls := w.beforeGate("open")
	if len(pulls) == 0 {
		return
	}
	p := pulls[a.B%len(pulls)]
	switch a.A % 5 {
	case 0, 1:
		w.openGate()
	case 2:
		w.tryOut(p.GroupSHA, "failure")
	case 3:
		w.tryOut(p.HeadSHA, "failure")
	case 4:
		how, act := "takes out of", w.github.Dequeue
		if !p.Queued {
			how, act = "puts into", w.github.Enqueue
		}
		err := act(shape.Home, p.Number, "ann")
		w.note("  ann %s the merge queue #%d: %v", how, p.Number, err)
		w.told.prose("(ann %s the merge queue p%d)", how, numberOf(p.HeadBranch))
	}
}

// beforeGate lists our pull requests to the branch that has a merge queue.
func (w *World) beforeGate(state string) []githubsim.Pull {
	return slices.DeleteFunc(w.ours(state), func(p githubsim.Pull) bool { return goesTo(p) != shape.Here })
}

// openGate has CI succeed for all that waits before the merge queue, and for all that is in it.
func (w *World) openGate() {
	for _, p := range w.beforeGate("open") {
		w.tryOut(p.HeadSHA, "success")
	}
	for _, p := range w.beforeGate("open") {
		w.tryOut(p.GroupSHA, "success") // the one in front is merged, and the group behind it may be another then
	}
}

// tryOut has CI say something of a commit, unless it has said it before.
func (w *World) tryOut(sha, conclusion string) {
	said := func(r githubsim.CheckRun) bool { return r.Name == gate && r.Conclusion == conclusion }
	if sha == "" || slices.ContainsFunc(w.github.CheckRuns(shape.Home, sha), said) {
		return
	}
	if _, err := w.github.CreateCheckRun(shape.Home, githubsim.CheckSpec{Name: gate, SHA: sha, Suite: gate, Conclusion: conclusion}); err != nil {
		w.broken("CI can report", "%s on %s: %v", gate, sha, err)
	}
	w.note("  %s %s on %.7s", gate, conclusion, sha)
	w.told.prose("(%s %s at %.7s)", gate, conclusion, sha)
}

// checkQueue: what is held is not in the merge queue, and what came out of it changed the stage's file and no other.
func (w *World) checkQueue() {
	if !w.shape.Queued {
		return
	}
	for _, pull := range w.beforeGate("") {
		w.entered[pull.HeadBranch] = w.entered[pull.HeadBranch] || pull.Queued
		p := w.seen.promotions[numberOf(pull.HeadBranch)]
		if pull.Queued && (w.held(p) || p.paused()) && p.state == "waiting-for-merge" && !w.owes(p.stage) {
			w.broken("what is held leaves the merge queue", "p%d in %s", p.number, p.stage)
		}
		if pull.State == "merged" && pull.MergedBy == "waybill[bot]" && !w.cleared[pull.HeadBranch] {
			w.cleared[pull.HeadBranch] = true
			w.checkMerged(pull)
		}
	}
}

// atTheGate reports whether an open pull request waits for the merge queue or for what comes before it, or came out of
// it: that is tried again when something happens.
func (w *World) atTheGate(p githubsim.Pull) bool {
	passed := func(r githubsim.CheckRun) bool { return r.Name == gate && r.Conclusion == "success" }
	return w.shape.Queued && goesTo(p) == shape.Here && (p.Queued || w.entered[p.HeadBranch] || w.shape.Gated && !slices.ContainsFunc(w.github.CheckRuns(shape.Home, p.HeadSHA), passed))
}
