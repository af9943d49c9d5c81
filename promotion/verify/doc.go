// Package verify turns what GitHub reports of commits into verdicts.
//
// A [Judge] has a snapshot. For each arrival, the commit that brought freight to a stage or to one of its targets, it
// says in an [Opinion] whether a matcher has passed, failed, is inconclusive or pending. Runs count on the commit
// itself and on later heads of the branch until a push touches the stage's files; a matcher that others share counts on
// the commit only. [Gather] finds the evidence of a snapshot, and [Fold] says which of it is no longer needed.
//
// A matcher that no signal has decided is judged by silence, once its deadline has passed and GitHub has been asked
// since (silence.go). [Judge.Part] joins the matchers of one target, and [Sum] the targets of a stay. The package reads
// no clock: the time is an argument.
package verify
