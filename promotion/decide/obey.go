package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/verify"
)

// obey answers what people ask for, in the order they asked. Stopping is lenient, going is strict. Who asks is checked
// here, when it is carried out, with the rights they have now. While GitHub is being asked to verify again, what came
// later waits for its turn, but what stops something never waits. While nobody knows whether a commit is on the branch,
// everything waits but a hold.
func (w *work) obey() {
	later := w.Requests[:0:0]
	for _, r := range w.Requests {
		w.shown = w.plan()
		switch why := command.Refusal(&w.Snapshot, r); {
		case !why.IsZero():
			w.refuse(r, why)
		case verify.Unobserved(&w.Snapshot, &r), w.mustKnow(r), len(later) > 0 && !command.OnlyStops(r.Command.Verb):
			later = append(later, r)
		case command.IsQuestion(r.Command.Verb):
			w.done(r) // it is answered with what is so when the answer is given
		default:
			w.obeyOne(r)
		}
	}
	w.Requests = later
}

// plan returns the hash of the plan that the stage shows; empty if it shows none.
func (w *work) plan() string {
	if p := w.Active(); p != nil {
		return w.gate().Visible(p)
	}
	return ""
}

func (w *work) obeyOne(r promotion.Request) {
	switch r.Command.Verb {
	case promotion.CmdPromote:
		w.obeyPromote(r)
	case promotion.CmdRollback:
		w.obeyRollback(r)
	case promotion.CmdHold:
		w.obeyHold(r)
	case promotion.CmdUnhold:
		w.obeyUnhold(r)
	case promotion.CmdCancel:
		w.obeyCancel(r)
	case promotion.CmdRetry:
		w.obeyRetry(r)
	case promotion.CmdVerify:
		w.obeyVerify(r)
	case promotion.CmdPause:
		w.obeyPause(r)
	case promotion.CmdResume:
		w.obeyResume(r)
	case promotion.CmdSkip:
		w.obeySkip(r)
	case promotion.CmdVerdict:
		w.obeyVerdict(r)
	case promotion.CmdApprove:
		w.obeyApprove(r)
	case promotion.CmdDeny:
		w.obeyDeny(r)
	case promotion.CmdAdmit:
		w.obeyAdmit(r)
	default:
		w.refuse(r, promotion.Because(promotion.Unknown, string(r.Command.Verb)))
	}
}

// answer owes the person a reply where they asked, if there is such a place. What has been answered is done with.
func (w *work) answer(r promotion.Request, outcome promotion.Code, about promotion.Number, why promotion.Reason) {
	w.moved = true
	w.out.Answered = append(w.out.Answered, promotion.Answer{
		Request: r.ID, Outcome: outcome, About: about, Plan: w.shown, Reason: why,
		Rule: command.DecidedBy(w.Pipeline.Policy, r.Command.Verb, w.Stage.Name),
	})
	if r.Surface == "" {
		return
	}
	w.out.Effects = append(w.out.Effects, promotion.Effect{
		Verb: promotion.Reply, Stage: w.Stage.Name, Promotion: about, Request: r.ID, Surface: r.Surface,
		Outcome: string(outcome), Reason: why,
	})
}

func (w *work) done(r promotion.Request)    { w.answer(r, promotion.Done, 0, promotion.Reason{}) }
func (w *work) already(r promotion.Request) { w.answer(r, promotion.Already, 0, promotion.Reason{}) }
func (w *work) refuse(r promotion.Request, why promotion.Reason) {
	w.answer(r, promotion.Refused, 0, why)
}

// queued answers that a promotion has been queued; queuedAlready that it is open, and which one it is (Q16).
func (w *work) queued(r promotion.Request, n promotion.Number) {
	w.answer(r, promotion.Done, n, promotion.Reason{})
}
func (w *work) queuedAlready(r promotion.Request, n promotion.Number) {
	w.answer(r, promotion.Already, n, promotion.Reason{})
}

func asked(r promotion.Request) promotion.Reason {
	return promotion.Because(promotion.Asked, string(r.By.Login))
}
func behind(p *promotion.Promotion) promotion.Reason {
	return promotion.Because(promotion.Behind, p.Number.String())
}
