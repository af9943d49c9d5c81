// Package promotion decides what happens to freight on its way through the stages of a pipeline.
//
// It is pure: it does no I/O, reads no clock and logs nothing. Facts go in as a Snapshot, a Decision comes out, and the
// same snapshot at the same time always gives the same decision. Deciding twice decides nothing new.
package promotion
