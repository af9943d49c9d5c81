package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
)

// mayNot returns why the person may not have what they ask for; the zero reason if they may. To stop the whole pipeline
// it is enough to have the right in one stage, to let it go it must be in all.
func (w *work) mayNot(r promotion.Request) promotion.Reason {
	if r.Command.Stage != "" || len(w.Pipeline.Stages) == 0 {
		return w.mayNotIn(w.Stage.Name, r)
	}
	var why promotion.Reason
	for _, s := range w.Pipeline.Stages {
		why = w.mayNotIn(s.Name, r)
		if why.IsZero() == (r.Command.Verb == promotion.CmdHold) {
			break
		}
	}
	return why
}

func (w *work) mayNotIn(stage promotion.StageName, r promotion.Request) promotion.Reason {
	rule, some := command.Rule(w.Pipeline.Policy, r.Command.Verb, stage)
	if !some {
		return promotion.Because(promotion.Forbidden, "nobody")
	}
	return w.mayNotUnder(rule, r)
}

func (w *work) mayNotUnder(rule promotion.Rule, r promotion.Request) promotion.Reason {
	if why := command.MayNot(rule, r.Permission, r.Teams); !why.IsZero() {
		return why
	}
	for _, not := range rule.Not {
		if w.is(not, r.By) {
			return promotion.Because(promotion.Forbidden, "not", not)
		}
	}
	return promotion.Reason{}
}

// is reports whether somebody plays a part in the active promotion: the author of its freight, who asked for it, or who
// pushed last to its branch and put back what was there.
func (w *work) is(part string, who promotion.Actor) bool {
	p := w.Active()
	if p == nil {
		return false
	}
	if i := w.FreightAt(p.Freight); part == "author" && i >= 0 {
		return w.Freight[i].Author.Is(who)
	}
	if pull := w.Pull(w.Attempt(p.Number)); part == "last-pusher" && pull != nil {
		return pull.Pusher.Is(who)
	}
	return part == "requester" && p.By.Is(who)
}
