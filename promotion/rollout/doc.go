// Package rollout answers how a promotion goes through the targets of a stage: which of them it updates next and when,
// which have its freight already, how each of them stands, and how it ends (semantics 5). A stage that is one place has
// one target without a name, and its promotions have one step.
//
// Its functions change nothing. The answers about holds and about GitHub come as [Gates], and the time as an argument.
// Package decide writes down the result.
//
// # Batches and steps
//
// The targets of a stage are in batches, each in one. [Begin] takes over the batches of the pipeline file when a
// promotion starts, and they stay as they are until it ends. A promotion goes through them in steps: one pull request,
// its merge, the verdicts on its targets. [Next] returns the step behind the present one (next.go), and [First] the one
// with which a promotion would begin. A step has as many targets of the first batch that is not done as may be updated
// at once. A target that is being verified, or has failed, takes a place of its batch: [HasPlace] reports whether one
// is free. All targets of a step have their files on one branch.
//
// # Progress
//
// The progress of a promotion is its [promotion.Rollout]: the step under way, and the targets that were passed over. A
// target waits that cannot take part when its turn comes, because its file is not there, a person holds it, or it does
// not meet its conditions; it is gone when the pipeline file does not have it any more, and skipped when a person has
// left it out. [LeaveOut], [Skip], [Readmit] and [StepMerged] return the progress as it is after that (progress.go).
// While the pull request of a step is open, the step may lose targets: [Shrinks] returns why (shrink.go).
//
// # What stands
//
// The result of a promotion for each target is a [promotion.TargetResult] of its deployment. Nothing is updated twice:
// kept returns the targets that a promotion passes over because they have its freight already, [KeptBeside] those that
// it adds to the results of its first merge, and [Updated] those of each merge (kept.go). So a retry, a rollback and a
// promotion of one target are rollouts of which much is done already. [ResultsOf] returns both, for a promotion;
// [StandsIn], [Misses] and [Spent] are the questions of commands about single targets.
//
// # What comes next
//
// [After] returns the sequel of a promotion that has no step under way, as one [Sequel] (after.go). While there are
// targets to come, the next step begins, or it waits: for the rest after a batch, for a gate, for GitHub to say which
// targets are ready, or for the verdict on others. [Stalled] is the same question for people.
//
// # Ends
//
// A rollout that has no further step finishes when all targets that took part have a verdict. It also ends when more
// have failed than may, as [TooMany] reports. Its freight is verified in the stage when every target that took part has
// verified it and none is left that could take part, which [Short] reports. A promotion that has brought nothing ends
// without a merge: the freight stands already wherever it goes, or no target can take part.
//
// Targets that waited or are new catch up later, by themselves, once each: [Late] returns them (late.go). A stage that
// gets targets, or loses all of them, is another place, and its rollouts end: [Replaced] and [ReplacedSince] report
// that (replaced.go).
//
// # For people
//
// [Status] returns how each target stands, batch by batch, and [Tally] counts them (status.go). Every target of the
// batches is in one state, so that the counts always add up.
package rollout
