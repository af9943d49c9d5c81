package promotion

// follow takes over what GitHub says of the active promotion's branch and pull request.
func (w *work) follow() {
	p := w.active()
	if p == nil || p.State == Verifying {
		return
	}
	a := w.attempt(p.Number)
	pull := w.pull(a)
	p = w.leaveOut(p, a.Plan)
	switch {
	case !a.Landed.IsZero():
		w.merged(p.Number, a.landed(), a)
	case w.writing(p):
		return // until it is known whether that is there
	case pull != nil && pull.State == PullMerged && w.astray(pull):
		w.end(p.Number, Failed, Because(PlanChanged)) // what it writes is somewhere, but not where the stage is
	case pull != nil && pull.State == PullMerged:
		w.merged(p.Number, pull, a)
	case pull != nil && pull.State == PullClosed:
		w.end(p.Number, Declined, Because(Closed, string(pull.By.Login)))
	case !a.Failure.IsZero() && pull == nil:
		w.end(p.Number, Failed, a.Failure) // what is there under our names is not ours: it is left alone
	case !a.Failure.IsZero():
		w.withdraw(p.Number, Failed, a.Failure)
	case !w.shrinks(p).IsZero():
		w.beginAgain(p.Number, a, w.shrinks(p))
	case pull != nil && p.State == Running && a.Built > 0:
		w.opened(p.Number)
	default:
		w.rebuild(p.Number, a, pull)
	}
}

// astray reports whether somebody has turned the pull request to another branch than that of the stages.
func (w *work) astray(pull *Pull) bool {
	branch := w.Pipeline.FilesOfStep(w.Stage, w.active()).Name
	return pull.Base != "" && branch != "" && pull.Base != branch
}

// maxRounds is how often a promotion's commit is made before a conflict is somebody's to solve. Every round starts from
// the newest base and is made because of a push that changes the very same files, so that only a quarrel between two
// automations comes so far.
const maxRounds = 20

// rebuild looks at the plan that was made anew because the pull request could not be merged, and gives up when making it
// anew does not help.
func (w *work) rebuild(n Number, a Attempt, pull *Pull) {
	switch anew := a.Plan != nil && a.Plan.Round > a.Built; {
	case anew && !a.Plan.Problem.IsZero():
		w.withdraw(n, Failed, a.Plan.Problem)
	case anew && len(a.Plan.Paths) == 0:
		if !w.Stage.Rolls() || a.Plan.Round > 1 { // before the first plan of a step nothing of it was opened
			w.close(n, Because(NoChange))
		}
		w.unchanged(n, a.Plan)
	case !anew && a.conflicts(pull) && a.Built >= maxRounds, a.Late >= maxRounds:
		w.withdraw(n, Failed, Because(Conflict, a.paths()...))
	}
}

// conflicts reports whether the commit that we made last cannot be merged. What GitHub said of an earlier one does not
// count, nor what it says of a commit of somebody else.
func (a Attempt) conflicts(pull *Pull) bool {
	return pull != nil && pull.Conflicts && pull.HeadSHA == a.HeadSHA
}

func (a Attempt) paths() []string {
	if a.Plan == nil {
		return nil
	}
	return a.Plan.Paths
}

// planHash returns the hash of what the attempt has written.
func (a Attempt) planHash() string {
	if a.Plan == nil {
		return ""
	}
	return a.Plan.Hash
}

// wrote returns the values that a merge has brought: those of the plan, unless somebody has pushed to the pull request
// and merged what nobody here knows.
func (a Attempt) wrote(merged *Pull) []Value {
	if a.Plan == nil || merged.HeadSHA != a.HeadSHA {
		return nil
	}
	return a.Plan.Values
}

// moveOut ends what was begun where the stage's files were before. What is merged there stays, and says nothing of the stage any
// more.
func (w *work) moveOut() {
	for i := range w.Snapshot.Promotions {
		p := &w.Promotions[i]
		began := w.attempt(p.Number).Files
		if now := w.Pipeline.FilesOfStep(w.Stage, p); !p.State.Ended() && !w.writing(p) && began != (Branch{}) && began != now {
			w.stop(p, Because(Moved, now.String()))
		}
	}
}

// stop ends a promotion that has lost its sense.
func (w *work) stop(p *Promotion, r Reason) {
	if p.State == Verifying {
		w.end(p.Number, Cancelled, r)
		return
	}
	w.withdraw(p.Number, Cancelled, r)
}

// retire ends everything in a stage that the pipeline file no longer has; its history stays (Q18).
func (w *work) retire() {
	for i := range w.Snapshot.Promotions {
		p := &w.Promotions[i]
		if p.State.Ended() {
			continue
		}
		if !w.writing(p) {
			w.stop(p, Because(Removed, string(w.Stage.Name)))
		}
	}
	for _, r := range w.Requests {
		if r.Command.Verb == CmdHold && r.Command.All && w.mayNot(r).IsZero() {
			w.obeyHold(r) // it concerns the others
			continue
		}
		w.refuse(r, Because(Removed, string(w.Stage.Name)))
	}
	w.Requests = nil
}
