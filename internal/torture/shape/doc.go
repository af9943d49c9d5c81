// Package shape draws the pipeline of a random history from a seed, and writes it as people write pipeline files. It
// knows what a pipeline means without the program's own code: which files its stages have, where they are, and what
// promotions write there.
//
// All is drawn in [Draw], in an order that must stay as it is for seeds to keep their histories: draw something new
// from a source of its own.
package shape
