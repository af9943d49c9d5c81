package promotion

// A stage that wants no pull request: the commit of a promotion goes to the branch of the stages by itself (`commit:
// direct`). It is there or it is not: nobody can close it, and nothing waits for anybody between start and verification.

// wantCommit asks for the commit of the plan on the branch, or first for a plan: also when the branch has moved since, so
// that nothing that others have pushed is lost.
func (w *work) wantCommit(p *Promotion, a Attempt) {
	switch {
	case a.Plan == nil || a.Plan.Round <= a.Late:
		w.wantPlan(p, a)
	case w.stays(p).IsZero():
		w.wanted(Effect{Verb: Commit, Promotion: p.Number, Round: int64(a.Plan.Round)})
	}
}

// writing reports whether a promotion's commit is being put on the branch, or its workflow is being started, and nobody knows
// yet whether it is there. Nothing may end the promotion then: it would say that nothing has been done.
func (w *work) writing(p *Promotion) bool {
	return p != nil && p.State == Running && w.attempt(p.Number).underway()
}

// underway reports whether something of the attempt may be there or not.
func (a Attempt) underway() bool { return a.Begun > 0 || !a.Dispatched.IsZero() }

// mustKnow reports whether a command waits until it is known whether a commit is on the branch. A hold never waits, and
// questions are answered.
func (w *work) mustKnow(r Request) bool {
	return w.writing(w.active()) && r.Command.Verb != CmdHold && !r.Command.Verb.Asks()
}

// uncommitted returns why a promotion that runs is not committed, or its workflow not started, now; the zero reason if it is, or
// has a pull request made.
func (w *work) uncommitted(p *Promotion) Reason {
	if !w.Stage.Direct && w.Stage.Dispatch == nil || w.writing(p) {
		return Reason{}
	}
	return w.stays(p)
}

// landed is the commit of an attempt on the branch, or the one that its workflow runs on, as if it had been merged there.
func (a Attempt) landed() *Pull {
	return &Pull{State: PullMerged, HeadSHA: a.HeadSHA, MergeSHA: a.HeadSHA, MergedAt: a.Landed}
}
