// Package shape draws the pipeline of a random history from a seed, and writes it as people write pipeline files. It
// works out the meaning of a pipeline without the program's own code: the files of its stages, their places, and the
// values that promotions write there.
//
// [Draw] draws everything in an order that must stay as it is for seeds to keep their histories: draw something new
// from a source of its own.
package shape
