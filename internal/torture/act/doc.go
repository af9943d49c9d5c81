// Package act has all who act in a random history, and the table of what they may do: people who work at GitHub, in
// Slack and over the API, CI, monitors, jobs that deploy, and accidents. Each is a type that owns the state it needs;
// what others must know of it goes into the ledger.
//
// table.go has a row for each kind of act; cast.go gathers the actors; program.go says what they may do to the program.
// An act finds what it happens to by its three numbers, and may draw from the source of the act. What is not possible
// now does not happen.
package act
