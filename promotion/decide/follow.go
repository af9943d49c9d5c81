package decide

import "waybill/promotion"

// follow takes over what GitHub says of the active promotion's branch and pull request.
func (w *work) follow() {
	p := w.Active()
	if p == nil || p.State == promotion.Verifying {
		return
	}
	a := w.Attempt(p.Number)
	pull := w.Pull(a)
	p = w.leaveOut(p, a.Plan)
	switch {
	case a.State == promotion.AttemptDelivered:
		w.merged(p.Number, a.Arrived(), a)
	case w.writing(p):
		return // until it is known whether that is there
	case pull != nil && pull.State == promotion.PullMerged && w.astray(pull):
		// what it writes is somewhere, but not where the stage is
		w.end(p.Number, promotion.Failed, promotion.Because(promotion.PlanChanged))
	case pull != nil && pull.State == promotion.PullMerged:
		w.merged(p.Number, pull, a)
	case pull != nil && pull.State == promotion.PullClosed:
		w.end(p.Number, promotion.Declined, promotion.Because(promotion.Closed, string(pull.By.Login)))
	case a.State == promotion.AttemptFailed && pull == nil:
		w.end(p.Number, promotion.Failed, a.Failure) // what is there under our names is not ours: it is left alone
	case a.State == promotion.AttemptFailed:
		w.withdraw(p.Number, promotion.Failed, a.Failure)
	case !w.shrinks(p).IsZero():
		w.beginAgain(p.Number, a, w.shrinks(p))
	case pull != nil && p.State == promotion.Running && a.State == promotion.AttemptProposed:
		w.opened(p.Number)
	default:
		w.rebuild(p.Number, a, pull)
	}
}

// astray reports whether somebody has turned the pull request to another branch than that of the stages.
func (w *work) astray(pull *promotion.Pull) bool {
	branch := w.Pipeline.FilesOfStep(w.Stage, w.Active()).Name
	return pull.Base != "" && branch != "" && pull.Base != branch
}

// maxRounds is how often a promotion's commit is made before a conflict is somebody's to solve. Every round starts from
// the newest base and is made because of a push that changes the very same files, so that only a quarrel between two
// automations comes so far.
const maxRounds = 20

// rebuild looks at the plan that was made anew because the pull request could not be merged, and gives up when making
// it anew does not help.
func (w *work) rebuild(n promotion.Number, a promotion.Attempt, pull *promotion.Pull) {
	switch anew := a.Plan != nil && a.Plan.Round > a.Built; {
	case anew && !a.Plan.Problem.IsZero():
		w.withdraw(n, promotion.Failed, a.Plan.Problem)
	case anew && len(a.Plan.Paths) == 0:
		if !w.Stage.Rolls() || a.Plan.Round > 1 { // before the first plan of a step nothing of it was opened
			w.close(n, promotion.Because(promotion.NoChange))
		}
		w.unchanged(n, a.Plan)
	case !anew && a.Conflicts(pull) && a.Built >= maxRounds, a.Late >= maxRounds:
		w.withdraw(n, promotion.Failed, promotion.Because(promotion.Conflict, a.Paths()...))
	}
}

// moveOut ends what was begun where the stage's files were before. What is merged there stays, and says nothing of the
// stage any more.
func (w *work) moveOut() {
	for i := range w.Snapshot.Promotions {
		p := &w.Promotions[i]
		began := w.Attempt(p.Number).Files
		if now := w.Pipeline.FilesOfStep(w.Stage, p); !p.State.Ended() && !w.writing(p) &&
			began != (promotion.Branch{}) && began != now {
			w.stop(p, promotion.Because(promotion.Moved, now.String()))
		}
	}
}

// stop ends a promotion that has lost its sense.
func (w *work) stop(p *promotion.Promotion, r promotion.Reason) {
	if p.State == promotion.Verifying {
		w.end(p.Number, promotion.Cancelled, r)
		return
	}
	w.withdraw(p.Number, promotion.Cancelled, r)
}

// retire ends everything in a stage that the pipeline file no longer has; its history stays (Q18).
func (w *work) retire() {
	for i := range w.Snapshot.Promotions {
		p := &w.Promotions[i]
		if p.State.Ended() {
			continue
		}
		if !w.writing(p) {
			w.stop(p, promotion.Because(promotion.Removed, string(w.Stage.Name)))
		}
	}
	for _, r := range w.Requests {
		if r.Command.Verb == promotion.CmdHold && r.Command.All && w.mayNot(r).IsZero() {
			w.obeyHold(r) // it concerns the others
			continue
		}
		w.refuse(r, promotion.Because(promotion.Removed, string(w.Stage.Name)))
	}
	w.Requests = nil
}
