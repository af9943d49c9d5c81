// Package ledger records the facts about a random history that the invariants use. [Database] reads the program's
// database without the program's code. [Remote] is the state of GitHub, as far as it matters, and [Checkout] is the
// files that people have written there. [ByHand], [Sources], [Proposals] and [Jobs] are the acts of people; [Signals]
// are the reports of CI, from which [Evidence] and [Rollouts] derive verdicts. [Gaps] are the gaps in the program's
// knowledge, and [Clock] is the deviation of its clock. The [Journal] writes the trace and the story, and keeps the
// first invariant that does not hold.
package ledger
