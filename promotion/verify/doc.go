// Package verify turns what GitHub reports of commits into verdicts.
//
// A [Judge] has a snapshot. For each arrival, the commit that brought freight to a stage or to one of its targets, it
// says in an [Opinion] whether a matcher has passed, failed, is inconclusive or pending. Runs count on the commit
// itself and on later heads of the branch until a push touches the stage's files; a matcher that others share counts on
// the commit only. [Gather] finds the evidence of a snapshot, and [Fold] says which of it is no longer needed.
//
// The package reads no clock: what silence means is decided in package decide.
package verify
