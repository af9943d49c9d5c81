package torture

import "slices"

// What can happen.
const (
	MergeSource Kind = "merge-source" // a person merges a pull request
	PullDone    Kind = "pull"         // a person does something with a pull request of ours
	Meddle      Kind = "meddle"       // a person comes between a merge of ours and what it was decided on
	PushFiles   Kind = "push"         // a person pushes
	Drift       Kind = "drift"        // a person changes by hand what a promotion wrote
	Configure   Kind = "configure"    // a person changes the pipeline or the policy file
	Comment     Kind = "comment"      // a person gives a command
	Label       Kind = "label"        // a person puts a label on a pull request, or takes it off
	Press       Kind = "press"        // a person presses a button of a check run
	Review      Kind = "review"       // a person reviews a pull request of ours
	Remove      Kind = "remove"       // a person removes what we made to show where freight stands
	Grant       Kind = "grant"        // a person's rights change
	Report      Kind = "report"       // CI reports anything on anything
	Succeed     Kind = "succeed"      // CI reports success of all that a stage waits for
	Gate        Kind = "gate"         // CI decides about what is in the merge queue, or a person does
	Slack       Kind = "slack"        // a person gives a command in Slack, presses a button there, or looks at their Home
	Type        Kind = "typed"        // a person gives a command over the API
	Propose     Kind = "propose"      // a person does something with a pull request of theirs that touches a stage's file
	Deploy      Kind = "deploy"       // a job wants to deploy into a stage's environment
	Work        Kind = "work"         // a workflow that we have started goes on or ends
	Roll        Kind = "roll"         // CI decides about the targets of a rollout, step by step
	Targets     Kind = "targets"      // a person does something with the targets of a stage
	Drive       Kind = "drive"        // a person gives a command that is about a rollout, or about one target
	Crash       Kind = "crash"        // the process dies and is started again
	CrashSoon   Kind = "crash-soon"   // it will die at one of its next looks at the clock
	Webhooks    Kind = "webhooks"     // webhooks get lost, doubled, late
	Request     Kind = "request"      // one of the next requests fails
	ClockStep   Kind = "clock"        // somebody sets the clock
	Wait        Kind = "wait"         // time passes
	Frozen      Kind = "frozen"       // time passes, and the process does not notice
	Away        Kind = "away"         // nobody is there for so long that much is forgotten afterwards
	Resync      Kind = "resync"       // somebody asks for a resync
	SlackFails  Kind = "slack-fails"  // one of the next requests to Slack fails, or Slack tells something again
	Access      Kind = "access"       // the App loses what it may do, for a while
)

// kindOfAct is a row of the table of all that can happen. A new act is a constant above, a row, and what it does.
type kindOfAct struct {
	kind    Kind
	weight  int                  // how often it is drawn
	do      func(c *Cast, a Act) // What is not possible now does not happen
	where   func(c *Cast) bool   // the histories in which it happens; nil: all
	instead Kind                 // what happens in the others
}

// acts are asked in this order when one is drawn: another order, and another weight, makes other histories of all seeds.
var acts = []kindOfAct{
	{kind: MergeSource, weight: 18, do: func(c *Cast, a Act) { c.developer.publish(a) }},
	{kind: PullDone, weight: 8, do: func(c *Cast, a Act) { c.maintainer.pullDone(a) }},
	{kind: Meddle, weight: 3, do: func(c *Cast, a Act) { c.maintainer.meddles = append(c.maintainer.meddles, a) }, where: startsNone, instead: Work},
	{kind: PushFiles, weight: 5, do: func(c *Cast, a Act) { c.editor.pushFiles(a) }},
	{kind: Drift, weight: 5, do: func(c *Cast, a Act) { c.editor.drift(a) }, where: startsNone, instead: Work},
	{kind: Configure, weight: 4, do: func(c *Cast, a Act) { c.editor.configure(a) }},
	{kind: Comment, weight: 12, do: func(c *Cast, a Act) { c.commander.comment(a) }},
	{kind: Label, weight: 4, do: func(c *Cast, a Act) { c.commander.label(a) }},
	{kind: Press, weight: 5, do: func(c *Cast, a Act) { c.commander.press(a) }},
	{kind: Review, weight: 3, do: func(c *Cast, a Act) { c.commander.review(a) }, where: startsNone, instead: Work},
	{kind: Remove, weight: 4, do: func(c *Cast, a Act) { c.cleaner.remove(a) }},
	{kind: Grant, weight: 1, do: func(c *Cast, a Act) { c.commander.grantAnn(a) }},
	{kind: Report, weight: 10, do: func(c *Cast, a Act) { c.ci.report(a) }, where: startsNone, instead: Work},
	{kind: Succeed, weight: 16, do: func(c *Cast, a Act) { c.ci.succeed(a) }, where: hasNoTargets, instead: Roll},
	{kind: Gate, weight: 6, do: func(c *Cast, a Act) { c.maintainer.atGate(a) }, where: hasQueue, instead: Succeed},
	{kind: Slack, weight: 9, do: func(c *Cast, a Act) { c.slackUser.inSlack(a) }, where: hasSlack, instead: Comment},
	{kind: Type, weight: 5, do: func(c *Cast, a Act) { c.apiUser.typeCommand(a) }},
	{kind: Propose, weight: 6, do: func(c *Cast, a Act) { c.proposer.propose(a) }, where: guardsFiles, instead: PushFiles},
	{kind: Deploy, weight: 3, do: func(c *Cast, a Act) { c.deployer.wantToDeploy(a) }, where: startsNone, instead: Work},
	{kind: Work, weight: 7, do: func(c *Cast, a Act) { c.workflows.atWork(a) }, where: startsWorkflows, instead: Report},
	{kind: Roll, weight: 6, do: func(c *Cast, a Act) { c.ci.goOn(a) }, where: hasTargets, instead: Succeed},
	{kind: Targets, weight: 7, do: func(c *Cast, a Act) { c.editor.changeTargets(a) }, where: hasTargets, instead: Configure},
	{kind: Drive, weight: 9, do: func(c *Cast, a Act) { c.commander.drive(a) }, where: hasTargets, instead: Comment},
	{kind: Crash, weight: 6, do: func(c *Cast, a Act) { c.accidents.crash(a) }},
	{kind: CrashSoon, weight: 5, do: func(c *Cast, a Act) { c.accidents.crashSoon(a) }},
	{kind: Webhooks, weight: 7, do: func(c *Cast, a Act) { c.accidents.disturb(a) }},
	{kind: Request, weight: 8, do: func(c *Cast, a Act) { c.accidents.failRequest(a) }},
	{kind: ClockStep, weight: 2, do: func(c *Cast, a Act) { c.accidents.setClock(a) }},
	{kind: Wait, weight: 8, do: func(c *Cast, a Act) { c.accidents.wait(a) }},
	{kind: Frozen, weight: 2, do: func(c *Cast, a Act) { c.accidents.freeze(a) }},
	{kind: Away, weight: 2, do: func(c *Cast, a Act) { c.accidents.away(a) }},
	{kind: Resync, weight: 3, do: func(c *Cast, a Act) { c.accidents.resync(a) }},
	{kind: SlackFails, weight: 3, do: func(c *Cast, a Act) { c.slackUser.slackTrouble(a) }, where: hasSlack, instead: Request},
	{kind: Access, weight: 3, do: func(c *Cast, a Act) { c.accidents.loseAccess(a) }},
}

// Weights say how often each kind of act is drawn.
func Weights() (all []Weight) {
	for _, k := range acts {
		all = append(all, Weight{k.kind, k.weight})
	}
	return all
}

func hasQueue(c *Cast) bool        { return c.shape.Queued }
func hasSlack(c *Cast) bool        { return c.chat != nil }
func hasTargets(c *Cast) bool      { return c.shape.Rolls }
func hasNoTargets(c *Cast) bool    { return !c.shape.Rolls }
func guardsFiles(c *Cast) bool     { return c.shape.Guards }
func startsWorkflows(c *Cast) bool { return len(c.checkout.Pipeline.Starters()) > 0 }
func startsNone(c *Cast) bool      { return !startsWorkflows(c) } // where workflows start there is hardly anything else

// kindOf returns the row of a kind of act.
func kindOf(k Kind) kindOfAct {
	return acts[slices.IndexFunc(acts, func(row kindOfAct) bool { return row.kind == k })]
}

// act makes one thing happen, or what happens instead of it in this history.
func (c *Cast) act(a Act) {
	k := kindOf(a.Kind)
	if k.where != nil && !k.where(c) {
		k = kindOf(k.instead)
	}
	k.do(c, a)
}
