package decide

import (
	"cmp"
	"fmt"
	"strings"
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
		switch why := w.wrong(r); {
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

// wrong returns why a command is refused whatever the stage is doing; the zero reason if it is not.
func (w *work) wrong(r promotion.Request) promotion.Reason {
	if why := w.misplaced(r); !why.IsZero() {
		return why
	}
	if w.outdated(r.Command) {
		return promotion.Because(promotion.PlanChanged)
	}
	return command.Forbids(&w.Snapshot, r)
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

// misplaced returns why a command makes no sense for this stage: it names none or one that does not exist, cannot be
// understood, or wants something of a stage that has no promotions; the zero reason if it does.
func (w *work) misplaced(r promotion.Request) promotion.Reason {
	c := r.Command
	switch {
	case c.Trouble != "":
		return promotion.Because(promotion.Malformed).With(c.Trouble)
	case c.Stage == "" && command.NeedsStage(c.Verb) && !c.All:
		return unknown(r, "stage").With("name one: " + stageNames(w.Pipeline))
	case c.Stage != "" && c.Stage != w.Stage.Name:
		return unknown(r, c.Place()).With("the stages are " + stageNames(w.Pipeline))
	case c.Verb == promotion.CmdSkip && c.Target == "", c.Target != "" && c.Verb != promotion.CmdHold:
		return w.misplacedTarget(r)
	// its button says what failed
	case c.Freight != "" && !command.TakesFreight(c.Verb) && !command.OnlyStops(c.Verb) && c.Verb != promotion.CmdRetry:
		return unknown(r, c.Freight)
	case c.Text == "" && command.WantsReason(c.Verb):
		return unknown(r, "--because").With("say why")
	case w.Stage.Delivery == promotion.DeliveryNone && c.Verb != promotion.CmdHold && c.Verb != promotion.CmdUnhold &&
		!command.IsQuestion(c.Verb):
		return promotion.Because(promotion.NoChange).With("the stage only passes freight on")
	}
	return promotion.Reason{}
}

// misplacedTarget returns why a command cannot be about the target that it names; the zero reason if it can.
func (w *work) misplacedTarget(r promotion.Request) promotion.Reason {
	c := r.Command
	switch names := w.Stage.TargetNames(); {
	case !command.UsageOf(c.Verb).Targets:
		return promotion.Because(promotion.Malformed).With(fmt.Sprintf("/%s is about a whole stage: /%s %s", c.Verb,
			c.Verb, c.Stage))
	case names == "":
		return unknown(r, c.Place()).With("the stage has no targets")
	case w.Stage.Target(c.Target) == nil:
		return unknown(r, cmp.Or(c.Place(), "target")).With("the targets are " + names)
	}
	return promotion.Reason{}
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
func unknown(r promotion.Request, what string) promotion.Reason {
	return promotion.Because(promotion.Unknown, what)
}
func behind(p *promotion.Promotion) promotion.Reason {
	return promotion.Because(promotion.Behind, p.Number.String())
}

// stageNames lists the stages, for somebody who has named none of them.
func stageNames(p *promotion.Pipeline) string {
	var names []string
	for _, s := range p.Stages {
		names = append(names, string(s.Name))
	}
	return strings.Join(names, ", ")
}

// outdated reports whether a command was given on the sight of something that is not so any more. What stops everything
// counts all the same.
func (w *work) outdated(c promotion.Command) bool {
	return c.Seen != "" && c.Verb != promotion.CmdHold && c.Seen != w.Seen()
}
