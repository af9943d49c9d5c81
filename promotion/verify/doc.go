// Package verify turns the reports of GitHub about commits into verdicts. Its questions change nothing, and it reads no
// clock: the time is an argument.
//
// [Gather] finds the evidence of a snapshot: for each arrival, the commit that brought freight to a stage or to one of
// its targets, the runs that its matchers name. Runs count on the commit itself and on later heads of the branch until
// a push touches the stage's files; a matcher that others share ([Sharing]) counts on the commit only. [Fold] says
// which runs are no longer needed.
//
// A [Judge] says in an [Opinion] whether the evidence has a target pass, fail, or be inconclusive or pending
// ([Judge.Target]); [Sum] joins the targets of a deployment. A matcher that no signal has decided is judged by silence,
// once its deadline has passed and GitHub has been asked since (silence.go): [Judge.Awaits] lists the deadlines that
// run, and [Judge.Overdue] says whether GitHub must be asked. No deadline runs while [ClockStopped].
//
// People may ask to judge the deployment again that [promotion.Snapshot.Judgeable] returns, and that waits for GitHub's
// answer, too (again.go).
package verify
