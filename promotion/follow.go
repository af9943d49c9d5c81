package promotion

// follow takes over what GitHub says of the active promotion's branch and pull request.
func (w *work) follow() {
	p := w.active()
	if p == nil || p.State == Verifying {
		return
	}
	a := w.attempt(p.Number)
	pull := w.pull(a)
	switch {
	case pull != nil && pull.State == PullMerged:
		w.merged(p.Number, pull, a.planHash())
	case pull != nil && pull.State == PullClosed:
		w.end(p.Number, Declined, Because(Closed, string(pull.By.Login)))
	case !a.Failure.IsZero() && pull == nil:
		w.end(p.Number, Failed, a.Failure) // what is there under our names is not ours: it is left alone
	case !a.Failure.IsZero():
		w.withdraw(p.Number, Failed, a.Failure)
	case pull != nil && p.State == Running && a.Built > 0:
		w.opened(p.Number)
	case p.State == WaitingForMerge && pull != nil && pull.Conflicts:
		w.conflicts(p.Number, a)
	}
}

// maxRounds is how often a promotion's commit is made before a conflict is somebody's to solve. Every round starts from
// the newest base, so that a second one is needed only when the base keeps moving in the very same files.
const maxRounds = 4

// conflicts gives up on a pull request that cannot be merged, once making it anew has not helped.
func (w *work) conflicts(n Number, a Attempt) {
	switch {
	case a.Plan == nil || a.Plan.Round == a.Built && a.Built < maxRounds:
		return // want makes a new plan
	case !a.Plan.Problem.IsZero():
		w.withdraw(n, Failed, a.Plan.Problem)
	case len(a.Plan.Paths) == 0:
		w.out.Effects = append(w.out.Effects, Effect{Verb: Close, Stage: w.Stage.Name, Promotion: n, Reason: Because(NoChange)})
		w.unchanged(n, a.Plan)
	case a.Plan.Round == a.Built:
		w.withdraw(n, Failed, Because(Conflict, a.Plan.Paths...))
	}
}

// planHash returns the hash of what the attempt has written.
func (a Attempt) planHash() string {
	if a.Plan == nil {
		return ""
	}
	return a.Plan.Hash
}

// retire ends everything in a stage that the pipeline file no longer has; its history stays (Q18).
func (w *work) retire() {
	for i := range w.Snapshot.Promotions {
		p := &w.Promotions[i]
		if p.State.Ended() {
			continue
		}
		r := Because(Removed, string(w.Stage.Name))
		if p.State == Verifying {
			w.end(p.Number, Cancelled, r)
			continue
		}
		w.withdraw(p.Number, Cancelled, r)
	}
	for _, r := range w.Requests {
		w.refuse(r, Because(Removed, string(w.Stage.Name)))
	}
	w.Requests = nil
}
