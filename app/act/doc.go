// Package act carries out effects, one file for each: what a decision wants done on GitHub is done, and what that
// brings home is recorded in the transaction that ends the effect (effects.go). An effect that was tried before first
// looks for what it may have left behind.
package act
