package decide

import (
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/deliver"
	"waybill/promotion/gate"
)

// way returns how a promotion is delivered, and what is known of it for that.
func (w *work) way(p *promotion.Promotion) (deliver.Way, deliver.Case) {
	a := w.Attempt(p.Number)
	c := deliver.Case{
		Promotion: p, Attempt: a, Pull: w.Pull(a), Branch: w.Pipeline.FilesOfStep(w.Stage, p).Name, Merge: w.Stage.Merge,
	}
	return deliver.Of(w.Stage.Delivery, c), c
}

// gatesFor asks the gates whether a promotion may go on. They look at a copy of the snapshot: a decision that no way to
// deliver may keep is not allocated.
func (w *work) gatesFor(p *promotion.Promotion) deliver.Gates {
	s := w.Snapshot
	k := gate.KeeperOf(&s, w.now)
	return func() (promotion.Reason, time.Time) { return k.Withheld(p) }
}

// whyUndelivered returns why a promotion that has started is not merged, committed or started now, and until when a clock
// alone keeps it from that; the zero reason if it is.
func (w *work) whyUndelivered(p *promotion.Promotion) (promotion.Reason, time.Time) {
	way, c := w.way(p)
	return way.Why(c, w.gatesFor(p))
}

// writing reports whether a promotion's commit is being put on the branch, or its workflow is being started, and it is not
// known yet whether it is there. Nothing may end the promotion then: it would say that nothing has been done.
func (w *work) writing(p *promotion.Promotion) bool {
	return p != nil && p.State == promotion.Running && w.Attempt(p.Number).Underway()
}

// mustKnow reports whether a command waits until it is known whether a commit is on the branch. A hold never waits, and
// questions are answered.
func (w *work) mustKnow(r promotion.Request) bool {
	return w.writing(w.Active()) && r.Command.Verb != promotion.CmdHold && !command.IsQuestion(r.Command.Verb)
}
