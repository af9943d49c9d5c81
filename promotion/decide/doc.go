// Package decide decides the way of freight through the stages of a pipeline.
//
// It is pure: it does no I/O, reads no clock and logs nothing. The known facts of a stage go in as a
// [promotion.Snapshot], and [Decide] returns a [promotion.Decision]. The same snapshot at the same time always gives
// the same decision. Decide looks at the present state, never at the last event, so deciding twice decides nothing new,
// and a fact that arrives late, twice or in the wrong order delays a decision without spoiling it.
//
// # How it is made
//
// Decide makes a draft (draft.go): the snapshot as it would be after everything decided so far. The phases go over it
// in order (decide.go): facts (follow.go, judge.go, drift.go), requests (obey.go), the queue (queue.go), the start
// (start.go). Only they have the draft. They change a promotion's state by the named transitions (transitions.go) and
// everything else by the methods that hand out a copy to write: change, changeDeployment, addHold, approve, answer.
// Questions look at a snapshot and change nothing. Most are in the packages gate, verify, rollout, drift, deliver and
// command; that of the queue is in next.go. Their answers say until when they hold, which is when the stage is decided
// again. The list of wanted effects is such a question, too (wanted.go), asked of the draft at the end. Files call one
// another in one direction.
//
// # One merge, from top to bottom
//
// A pull request of ours is merged, and the snapshot has it. follow asks the way to deliver for its meaning (follow.go,
// way.go; promotion/deliver/pull.go): it has arrived. merged moves the promotion to verifying and begins the deployment
// of its freight, which ends that of the freight before (deployments.go). judgeAll finds no verdict yet (judge.go;
// promotion/verify/targets.go). Later the snapshot has a check run that passed: judgeAll records the verdict on the
// target and lets the promotion go on (steps.go); no step is left (promotion/rollout/after.go), so that it finishes:
// conclude records the verdict on the freight and ends the promotion (conclude.go). [promotion.Decision.Ripples] wakes
// the stages downstream, and next takes the next promotion of this one.
//
// # What the caller owes
//
// A decision is written in one transaction, and only if the stage's version is still that of the snapshot. Effects are
// written down before they are carried out. One that is wanted and not begun is withdrawn when the next decision does
// not list it. The stage is decided again whenever a fact of its snapshot changes, and at [promotion.Decision.Wake].
//
// # Promotions
//
// A [promotion.Promotion] is one freight on its way into one stage (promotion/state.go):
//
//	queued -> running -> waiting-for-merge -> verifying -> succeeded
//
// The other ends are failed, declined, verification-failed, cancelled and superseded. Ends are final: failed freight
// comes back when a person asks for a new promotion, never by itself. A promotion is attempted once. Before it starts,
// its files are computed (start.go); one that would change nothing opens no pull request and goes from queued to
// verifying, where it inherits the verdict of the promotion that wrote these contents. States change in transitions.go
// and nowhere else; the state of our pull requests moves them in follow.go: a pull request that is merged, by us or by
// a person, is verifying; one that a person closed is declined.
//
// A stage may do without pull requests: its commit goes to the branch by itself. Or it changes no files and has a
// workflow started, whose conclusion is a signal. Package deliver has the ways to deliver (way.go selects one). Of
// these two nothing is known between the request and the answer, and nothing but a hold counts meanwhile. The files of
// a stage are on a [promotion.Branch] of some repository; when that changes, promotions that began on the old one are
// cancelled.
//
// # Rollouts
//
// A stage consists of targets (promotion/target.go); one that is one place has one, without a name. A promotion goes
// through them in batches (package rollout), step by step: one pull request, its merge, the verdict (steps.go). The
// deployment of a freight says of each target which merge brought it there, and its verdict (judge.go). A target that
// has the freight already is passed over (promotion/rollout/kept.go), so that a retry, a rollback and a promotion of
// one target are promotions of which much is done already. A target that could not take part, or is new, catches up by
// itself, once (catchup.go). People pause, skip and move single targets (drive.go). The summary of a rollout always
// adds up (promotion/summary.go).
//
// # Availability
//
// Freight is available to a stage that takes straight from its warehouse, that it was admitted to by a person, or whose
// upstream stages, as many as the pipeline file demands, have each verified it and hosted it for the soak time (package
// gate; expire.go). Verified and soaked must be true in the same upstream. Soak counts from the verification, and the
// longest deployment counts. A pass-through stage, one that changes no files, has no promotions and passes on the
// freight that is available to it.
//
// # The queue of a stage
//
// One promotion at a time: rollbacks first, then requests of people, then automation, by number inside a class
// (queue.go). Where policy lets a stage promote by itself, the candidate is newer than all freight that the stage has
// had a promotion of, in any state: nothing comes back by itself, and automation never goes backward. Newer freight
// supersedes promotions that wait, unless the queue is fifo. The next one starts when the one before it has a verdict.
//
// When a verification fails, automatic promotions that wait are cancelled with the reason and newer freight may roll
// forward; if people's promotions wait, they are kept and the bot holds the stage (conclude.go). A rollback pre-empts
// the running promotion, and when it is merged the bot holds the stage so that automation does not undo it
// (rollback.go).
//
// # Holds and sign-offs
//
// A [promotion.Hold] stops the next start and our own merges, and undoes nothing (promotion/gate/stop.go, holds.go).
// Stopping never waits: /hold with anything at all behind it holds. A freeze does the same by the clock
// (promotion/freeze.go). People's own pull requests and jobs that would go around it wait for the obstacles in
// promotion/gate/obstacles.go. A sign-off binds to the plan that was visible, its contents and its head SHA, and is
// void when that changes (revoke.go). We merge when no hold stands, enough people have signed off, the head is the one
// that we made, and GitHub lets it; a refused merge is tried again when an event could have changed GitHub's mind,
// never in a loop (promotion/deliver/pull.go).
//
// # Verdicts
//
// A stage passes when all its matchers pass, fails when one fails, and is inconclusive when one is and none fails
// (promotion/verify/opinion.go, judge.go). A [promotion.Matcher] counts signals on the merge commit, and on later
// commits of the branch that left the stage's files alone, begun after the merge, written by the app that the matcher
// trusts; the newest of its name in each suite, and all suites must agree (promotion/verify/verification.go). No signal
// is pending, never good. When a deadline passes in silence GitHub is asked once, and only then the pipeline file says
// how silence counts (promotion/verify/silence.go). An inconclusive verification holds the stage until a signal or a
// person decides (verdict.go). Freight that a stage hosts can be judged again; freight that has left it is judged no
// more.
//
// # Drift
//
// Package drift compares the files of a stage with the values that the last promotion of a warehouse wrote there. A
// difference is noted with the deployment and answered once, by a notice or by a repair (drift.go).
//
// # Commands
//
// A [promotion.Request] of a person waits in the snapshot for its answer (obey.go). Package command has the grammar,
// the rights, the refusals and the meaning of a request; promote.go, rollback.go, stop.go, drive.go, approve.go and
// verdict.go carry it out. Rights are checked when a command is obeyed. Every command is answered once.
//
// # Effects
//
// An [promotion.Effect] is something to be done on GitHub, as data, with a key that makes it happen once
// (promotion/effect.go; promotion/effects.go is the table of all). A plan, an open, a merge, a commit, a start of a
// workflow and an observation are wanted only as long as Decide lists them, so that a hold which is written down first
// stops a merge that has not begun; a comment, a reply and a close are owed once decided.
//
// # Reasons
//
// Everything that waits and everything that ended has a [promotion.Reason], a code with arguments
// (promotion/reason.go). [Why] answers where a freight stands in a stage and until when (why.go), and package say makes
// sentences of codes. Nothing reads the sentences back.
package decide
