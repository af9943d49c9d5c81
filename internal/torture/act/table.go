package act

import (
	"slices"

	"waybill/internal/torture/plan"
)

// The kinds of acts.
const (
	MergeSource plan.Kind = "merge-source" // a person merges a pull request
	PullDone    plan.Kind = "pull"         // a person acts on a pull request of Waybill
	Meddle      plan.Kind = "meddle"       // a person acts on a pull request of Waybill just before its merge
	PushFiles   plan.Kind = "push"         // a person pushes
	Drift       plan.Kind = "drift"        // a person edits a value that a promotion wrote
	Configure   plan.Kind = "configure"    // a person changes the pipeline or the policy file
	Comment     plan.Kind = "comment"      // a person gives a command
	Label       plan.Kind = "label"        // a person puts a label on a pull request, or takes it off
	Press       plan.Kind = "press"        // a person presses a button of a check run
	Review      plan.Kind = "review"       // a person reviews a pull request of Waybill
	Remove      plan.Kind = "remove"       // a person removes a comment, label, check run or deployment of Waybill
	Grant       plan.Kind = "grant"        // a person's rights change
	Report      plan.Kind = "report"       // CI reports any result on any commit
	Succeed     plan.Kind = "succeed"      // CI reports success of everything that a stage waits for
	Gate        plan.Kind = "gate"         // CI or a person decides about an entry of the merge queue
	// a person gives a command in Slack, presses a button there, or opens the Home tab
	Slack plan.Kind = "slack"
	Type  plan.Kind = "typed" // a person gives a command over the API
	// a person acts on a pull request of theirs that touches a stage's file
	Propose    plan.Kind = "propose"
	Deploy     plan.Kind = "deploy"      // a job asks to deploy into a stage's environment
	Work       plan.Kind = "work"        // a workflow run of Waybill goes on or ends
	Roll       plan.Kind = "roll"        // CI decides about the targets of a rollout, step by step
	Targets    plan.Kind = "targets"     // a person changes the targets of a stage
	Drive      plan.Kind = "drive"       // a person gives a command about a rollout or one target
	Crash      plan.Kind = "crash"       // the process dies and is started again
	CrashSoon  plan.Kind = "crash-soon"  // the process dies at one of its next reads of the clock
	Webhooks   plan.Kind = "webhooks"    // webhooks are lost, repeated, delayed or reordered
	Request    plan.Kind = "request"     // one of the next requests fails
	ClockStep  plan.Kind = "clock"       // the clock is set
	Wait       plan.Kind = "wait"        // time passes
	Frozen     plan.Kind = "frozen"      // time passes while the process stands still
	Away       plan.Kind = "away"        // the process is away for so long that records expire
	Resync     plan.Kind = "resync"      // a person requests a resync
	SlackFails plan.Kind = "slack-fails" // one of the next requests to Slack fails, or Slack repeats a request
	Access     plan.Kind = "access"      // the App does not reach some repositories for some time
	Withhold   plan.Kind = "withhold"    // the App lacks a permission or an event for some time
)

// kindOfAct is a row of the table of acts. A new act needs a constant above, a row, and a method.
type kindOfAct struct {
	kind    plan.Kind
	weight  int                       // how often it is drawn
	do      func(c *Cast, a plan.Act) // does nothing if the act is impossible now
	where   func(c *Cast) bool        // the histories that allow the act; nil: all
	instead plan.Kind                 // the act in the other histories
}

// acts is the table of acts. Its order and its weights decide the draws: a change of either changes the histories of
// all seeds.
var acts = []kindOfAct{
	{kind: MergeSource, weight: 18, do: func(c *Cast, a plan.Act) { c.Developer.Publish(a) }},
	{kind: PullDone, weight: 8, do: func(c *Cast, a plan.Act) { c.Maintainer.pullDone(a) }},
	{kind: Meddle, weight: 3, do: func(c *Cast, a plan.Act) { c.Maintainer.Meddles = append(c.Maintainer.Meddles, a) },
		where: startsNone, instead: Work},
	{kind: PushFiles, weight: 5, do: func(c *Cast, a plan.Act) { c.Editor.pushFiles(a) }},
	{kind: Drift, weight: 5, do: func(c *Cast, a plan.Act) { c.Editor.drift(a) }, where: startsNone, instead: Work},
	{kind: Configure, weight: 4, do: func(c *Cast, a plan.Act) { c.Editor.configure(a) }},
	{kind: Comment, weight: 12, do: func(c *Cast, a plan.Act) { c.Commander.comment(a) }},
	{kind: Label, weight: 4, do: func(c *Cast, a plan.Act) { c.Commander.label(a) }},
	{kind: Press, weight: 5, do: func(c *Cast, a plan.Act) { c.Commander.press(a) }},
	{kind: Review, weight: 3, do: func(c *Cast, a plan.Act) { c.Commander.review(a) }, where: startsNone, instead: Work},
	{kind: Remove, weight: 4, do: func(c *Cast, a plan.Act) { c.cleaner.remove(a) }},
	{kind: Grant, weight: 1, do: func(c *Cast, a plan.Act) { c.Commander.grantAnn(a) }},
	{kind: Report, weight: 10, do: func(c *Cast, a plan.Act) { c.CI.report(a) }, where: startsNone, instead: Work},
	{kind: Succeed, weight: 16, do: func(c *Cast, a plan.Act) { c.CI.succeed(a) }, where: hasNoTargets, instead: Roll},
	{kind: Gate, weight: 6, do: func(c *Cast, a plan.Act) { c.Maintainer.atGate(a) }, where: hasQueue, instead: Succeed},
	{kind: Slack, weight: 9, do: func(c *Cast, a plan.Act) { c.slackUser.inSlack(a) }, where: hasSlack, instead: Comment},
	{kind: Type, weight: 5, do: func(c *Cast, a plan.Act) { c.APIUser.typeCommand(a) }},
	{kind: Propose, weight: 6, do: func(c *Cast, a plan.Act) { c.proposer.propose(a) }, where: guardsFiles,
		instead: PushFiles},
	{kind: Deploy, weight: 3, do: func(c *Cast, a plan.Act) { c.deployer.wantToDeploy(a) }, where: startsNone,
		instead: Work},
	{kind: Work, weight: 7, do: func(c *Cast, a plan.Act) { c.Workflows.atWork(a) }, where: startsWorkflows,
		instead: Report},
	{kind: Roll, weight: 6, do: func(c *Cast, a plan.Act) { c.CI.goOn(a) }, where: hasTargets, instead: Succeed},
	{kind: Targets, weight: 7, do: func(c *Cast, a plan.Act) { c.Editor.changeTargets(a) }, where: hasTargets,
		instead: Configure},
	{kind: Drive, weight: 9, do: func(c *Cast, a plan.Act) { c.Commander.drive(a) }, where: hasTargets, instead: Comment},
	{kind: Crash, weight: 6, do: func(c *Cast, a plan.Act) { c.Accidents.crash(a) }},
	{kind: CrashSoon, weight: 5, do: func(c *Cast, a plan.Act) { c.Accidents.crashSoon(a) }},
	{kind: Webhooks, weight: 7, do: func(c *Cast, a plan.Act) { c.Accidents.disturb(a) }},
	{kind: Request, weight: 8, do: func(c *Cast, a plan.Act) { c.Accidents.failRequest(a) }},
	{kind: ClockStep, weight: 2, do: func(c *Cast, a plan.Act) { c.Accidents.setClock(a) }},
	{kind: Wait, weight: 8, do: func(c *Cast, a plan.Act) { c.Accidents.wait(a) }},
	{kind: Frozen, weight: 2, do: func(c *Cast, a plan.Act) { c.Accidents.freeze(a) }},
	{kind: Away, weight: 2, do: func(c *Cast, a plan.Act) { c.Accidents.away(a) }},
	{kind: Resync, weight: 3, do: func(c *Cast, a plan.Act) { c.Accidents.resync(a) }},
	{kind: SlackFails, weight: 3, do: func(c *Cast, a plan.Act) { c.slackUser.slackTrouble(a) }, where: hasSlack,
		instead: Request},
	{kind: Access, weight: 3, do: func(c *Cast, a plan.Act) { c.Accidents.loseAccess(a) }},
	{kind: Withhold, weight: 4, do: func(c *Cast, a plan.Act) { c.Accidents.withhold(a) }},
}

// Weights returns how often each kind of act is drawn.
func Weights() (all []plan.Weight) {
	for _, k := range acts {
		all = append(all, plan.Weight{Kind: k.kind, Of: k.weight})
	}
	return all
}

func hasQueue(c *Cast) bool        { return c.shape.Queued }
func hasSlack(c *Cast) bool        { return c.chat != nil }
func hasTargets(c *Cast) bool      { return c.shape.Rolls }
func hasNoTargets(c *Cast) bool    { return !c.shape.Rolls }
func guardsFiles(c *Cast) bool     { return c.shape.Guards }
func startsWorkflows(c *Cast) bool { return len(c.checkout.Pipeline.Starters()) > 0 }
func startsNone(c *Cast) bool      { return !startsWorkflows(c) } // histories with workflows have little else

// kindOf returns the row of a kind of act.
func kindOf(k plan.Kind) kindOfAct {
	return acts[slices.IndexFunc(acts, func(row kindOfAct) bool { return row.kind == k })]
}

// Play plays an act, or its replacement in this history.
func (c *Cast) Play(a plan.Act) {
	k := kindOf(a.Kind)
	if k.where != nil && !k.where(c) {
		k = kindOf(k.instead)
	}
	k.do(c, a)
}
