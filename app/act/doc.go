// Package act carries out effects, one file for each: it makes the change on GitHub that a decision wants, and records
// the result in the transaction that ends the effect (effects.go). An effect that was tried before first looks for
// traces of that try.
package act
