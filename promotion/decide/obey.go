package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/verify"
)

// obey answers requests in the order in which they were made. Stopping is lenient, going is strict. The rights of the
// requester are checked here, when the request is carried out. While GitHub is being asked to verify again, later
// requests wait for their turn, but those that stop something, and rollbacks, do not wait. While it is not known
// whether a commit is on the branch, everything waits but a hold.
func obey(d *draft) {
	later := d.Requests[:0:0]
	for _, r := range d.Requests {
		d.shown = plan(d)
		why := command.Refusal(&d.Snapshot, r)
		if why.IsZero() {
			why = untold(d, r)
		}
		switch {
		case !why.IsZero():
			d.refuse(r, why)
		case verify.Unobserved(&d.Snapshot, &r), mustKnow(d, r), len(later) > 0 && takesTurns(r.Command.Verb):
			later = append(later, r)
		case command.IsQuestion(r.Command.Verb):
			obeyQuestion(d, r)
		default:
			obeyOne(d, r)
		}
	}
	d.Requests = later
}

// plan returns the hash of the plan that the stage shows; empty if it shows none.
func plan(d *draft) string {
	if p := d.Active(); p != nil {
		return d.gate().Visible(p)
	}
	return ""
}

// obeyQuestion has a question answered with the state at the time of the answer. One about what is no freight is
// refused. What `/where` names may be a commit, for which GitHub is asked with the answer.
func obeyQuestion(d *draft, r promotion.Request) {
	c := r.Command
	named := c.Freight != "" || r.Pull != 0
	if c.Verb == promotion.CmdPlan || c.Verb == promotion.CmdWhy && c.Stages == "" && named {
		if _, why := command.FreightMeant(&d.Snapshot, r, d.gate().Available); !why.IsZero() {
			d.refuse(r, why)
			return
		}
	}
	d.done(r)
}

func obeyOne(d *draft, r promotion.Request) {
	switch r.Command.Verb {
	case promotion.CmdPromote:
		obeyPromote(d, r)
	case promotion.CmdRollback:
		obeyRollback(d, r)
	case promotion.CmdHold:
		obeyHold(d, r)
	case promotion.CmdUnhold:
		obeyUnhold(d, r)
	case promotion.CmdCancel:
		obeyCancel(d, r)
	case promotion.CmdRetry:
		obeyRetry(d, r)
	case promotion.CmdVerify:
		obeyVerify(d, r)
	case promotion.CmdPause:
		obeyPause(d, r)
	case promotion.CmdResume:
		obeyResume(d, r)
	case promotion.CmdSkip:
		obeySkip(d, r)
	case promotion.CmdVerdict:
		obeyVerdict(d, r)
	case promotion.CmdApprove:
		obeyApprove(d, r)
	case promotion.CmdDeny:
		obeyDeny(d, r)
	case promotion.CmdAdmit:
		obeyAdmit(d, r)
	case promotion.CmdReject:
		obeyReject(d, r)
	case promotion.CmdUnreject:
		obeyUnreject(d, r)
	case promotion.CmdFixes:
		obeyFixes(d, r)
	default:
		d.refuse(r, promotion.Because(promotion.Unknown, string(r.Command.Verb)))
	}
}

// mustKnow reports whether a command waits until it is known whether a commit is on the branch. A hold never waits, and
// questions are answered.
func mustKnow(d *draft, r promotion.Request) bool {
	return writing(&d.Snapshot, d.Active()) && r.Command.Verb != promotion.CmdHold && !command.IsQuestion(r.Command.Verb)
}

// takesTurns reports whether a command waits for those before it.
func takesTurns(v promotion.CommandVerb) bool {
	return !command.OnlyStops(v) && v != promotion.CmdRollback
}

// untold says why nothing is judged again though a person has asked for it: GitHub has refused for too long to say what
// it knows. It is zero as long as an answer may come, and then the stage wakes when that is over.
func untold(d *draft, r promotion.Request) promotion.Reason {
	if !verify.Unobserved(&d.Snapshot, &r) {
		return promotion.Reason{}
	}
	of := d.Deployments[d.Judgeable()].Promotion
	for _, no := range d.Rejections {
		if no.Verb != promotion.Observe || no.Promotion != of || no.Until.IsZero() {
			continue
		}
		if !no.Until.After(d.now) {
			return promotion.Because(promotion.Refused).With(no.Words)
		}
		d.wakeAt(no.Until)
	}
	return promotion.Reason{}
}
