// Package ledger is what is known of a random history: what the database says, read without the program's code
// ([Database]); what there is at GitHub, as far as it matters ([Remote]), and what people have written there
// ([Checkout]); what they have done that the invariants must know ([ByHand], [Sources], [Proposals], [Jobs]); what CI
// has said ([Signals]), and what follows from it ([Evidence], [Rollouts]); what the program may not know ([Gaps]), and
// how far its clock is off ([Clock]). The [Journal] writes the trace and the story, and keeps the first invariant that
// does not hold.
package ledger
