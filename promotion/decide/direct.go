package decide

import (
	"time"
	"waybill/promotion"
	"waybill/promotion/command"
)

// A stage that wants no pull request: the commit of a promotion goes to the branch of the stages by itself (`commit:
// direct`). It is there or it is not: nobody can close it, and nothing waits for anybody between start and
// verification.

// wantCommit asks for the commit of the plan on the branch, or first for a plan: also when the branch has moved since,
// so that nothing that others have pushed is lost.
func (w *work) wantCommit(p *promotion.Promotion, a promotion.Attempt) {
	switch {
	case a.Plan == nil || a.Plan.Round <= a.Late:
		w.wantPlan(p, a)
	case w.note(w.gate.Withheld(p)).IsZero():
		w.wanted(promotion.Effect{Verb: promotion.Commit, Promotion: p.Number, Round: int64(a.Plan.Round)})
	}
}

// writing reports whether a promotion's commit is being put on the branch, or its workflow is being started, and nobody
// knows yet whether it is there. Nothing may end the promotion then: it would say that nothing has been done.
func (w *work) writing(p *promotion.Promotion) bool {
	return p != nil && p.State == promotion.Running && w.Attempt(p.Number).Underway()
}

// mustKnow reports whether a command waits until it is known whether a commit is on the branch. A hold never waits, and
// questions are answered.
func (w *work) mustKnow(r promotion.Request) bool {
	return w.writing(w.Active()) && r.Command.Verb != promotion.CmdHold && !command.IsQuestion(r.Command.Verb)
}

// uncommitted returns why a promotion that runs is not committed, or its workflow not started, now, and until when a
// clock alone keeps it from that; the zero reason if it is, or has a pull request made.
func (w *work) uncommitted(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	if w.Stage.Delivery != promotion.DeliveryCommit && w.Stage.Delivery != promotion.DeliveryWorkflow || w.writing(p) {
		return why, until
	}
	return w.gate.Withheld(p)
}
