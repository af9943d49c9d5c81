package promotion

import (
	"cmp"
	"fmt"
	"strings"
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
		case w.unobserved(r), w.mustKnow(r), len(later) > 0 && !r.Command.Verb.Stops():
			later = append(later, r)
		case r.Command.Verb.Asks():
			w.done(r) // it is answered with what is so when the answer is given
		default:
			w.obeyOne(r)
		}
	}
	w.Requests = later
}

// plan returns the hash of the plan that the stage shows; empty if it shows none.
func (w *work) plan() string {
	if p := w.active(); p != nil {
		return w.visible(p)
	}
	return ""
}

// wrong returns why a command is refused whatever the stage is doing; the zero reason if it is not.
func (w *work) wrong(r Request) Reason {
	if why := w.misplaced(r); !why.IsZero() {
		return why
	}
	if w.outdated(r.Command) {
		return Because(PlanChanged)
	}
	return w.mayNot(r)
}

func (w *work) obeyOne(r Request) {
	switch r.Command.Verb {
	case CmdPromote:
		w.obeyPromote(r)
	case CmdRollback:
		w.obeyRollback(r)
	case CmdHold:
		w.obeyHold(r)
	case CmdUnhold:
		w.obeyUnhold(r)
	case CmdCancel:
		w.obeyCancel(r)
	case CmdRetry:
		w.obeyRetry(r)
	case CmdVerify:
		w.obeyVerify(r)
	case CmdPause:
		w.obeyPause(r)
	case CmdResume:
		w.obeyResume(r)
	case CmdSkip:
		w.obeySkip(r)
	case CmdVerdict:
		w.obeyVerdict(r)
	case CmdApprove:
		w.obeyApprove(r)
	case CmdDeny:
		w.obeyDeny(r)
	case CmdAdmit:
		w.obeyAdmit(r)
	default:
		w.refuse(r, Because(Unknown, string(r.Command.Verb)))
	}
}

// misplaced returns why a command makes no sense for this stage: it names none or one that does not exist, cannot be
// understood, or wants something of a stage that has no promotions; the zero reason if it does.
func (w *work) misplaced(r Request) Reason {
	c := r.Command
	switch {
	case c.Trouble != "":
		return Because(Malformed).With(c.Trouble)
	case c.Stage == "" && c.Verb.needsStage() && !c.All:
		return r.unknown("stage").With("name one: " + w.Pipeline.stageNames())
	case c.Stage != "" && c.Stage != w.Stage.Name:
		return r.unknown(c.Place()).With("the stages are " + w.Pipeline.stageNames())
	case c.Verb == CmdSkip && c.Target == "", c.Target != "" && c.Verb != CmdHold:
		return w.misplacedTarget(r)
	case c.Freight != "" && !c.Verb.takesFreight() && !c.Verb.Stops() && c.Verb != CmdRetry: // its button says what failed
		return r.unknown(c.Freight)
	case c.Text == "" && c.Verb.wantsReason():
		return r.unknown("--because").With("say why")
	case w.Stage.PassThrough() && c.Verb != CmdHold && c.Verb != CmdUnhold && !c.Verb.Asks():
		return Because(NoChange).With("the stage only passes freight on")
	}
	return Reason{}
}

// misplacedTarget returns why a command cannot be about the target that it names; the zero reason if it can.
func (w *work) misplacedTarget(r Request) Reason {
	c := r.Command
	switch names := w.Stage.targetNames(); {
	case !c.Verb.Usage().targets:
		return Because(Malformed).With(fmt.Sprintf("/%s is about a whole stage: /%s %s", c.Verb, c.Verb, c.Stage))
	case names == "":
		return r.unknown(c.Place()).With("the stage has no targets")
	case w.Stage.Target(c.Target) == nil:
		return r.unknown(cmp.Or(c.Place(), "target")).With("the targets are " + names)
	}
	return Reason{}
}

// answer owes the person a reply where they asked, if there is such a place. What has been answered is done with.
func (w *work) answer(r Request, outcome Code, about Number, why Reason) {
	w.moved = true
	w.out.Answered = append(w.out.Answered, Answer{r.ID, outcome, about, w.shown, why, w.Pipeline.Policy.decidedBy(r.Command.Verb, w.Stage.Name)})
	if r.Surface == "" {
		return
	}
	w.out.Effects = append(w.out.Effects, Effect{
		Verb: Reply, Stage: w.Stage.Name, Promotion: about, Request: r.ID, Surface: r.Surface, Outcome: string(outcome), Reason: why,
	})
}

func (w *work) done(r Request)               { w.answer(r, Done, 0, Reason{}) }
func (w *work) already(r Request)            { w.answer(r, Already, 0, Reason{}) }
func (w *work) refuse(r Request, why Reason) { w.answer(r, Refused, 0, why) }

// queued answers that a promotion has been queued; queuedAlready that it is open, and which one it is (Q16).
func (w *work) queued(r Request, n Number)        { w.answer(r, Done, n, Reason{}) }
func (w *work) queuedAlready(r Request, n Number) { w.answer(r, Already, n, Reason{}) }

func (r Request) asked() Reason              { return Because(Asked, string(r.By.Login)) }
func (r Request) unknown(what string) Reason { return Because(Unknown, what) }
func (p *Promotion) behind() Reason          { return Because(Behind, p.Number.String()) }

// stageNames lists the stages, for somebody who has named none of them.
func (p *Pipeline) stageNames() string {
	var names []string
	for _, s := range p.Stages {
		names = append(names, string(s.Name))
	}
	return strings.Join(names, ", ")
}

// outdated reports whether a command was given on the sight of something that is not so any more. What stops everything
// counts all the same.
func (w *work) outdated(c Command) bool {
	return c.Seen != "" && c.Verb != CmdHold && c.Seen != w.Seen()
}
