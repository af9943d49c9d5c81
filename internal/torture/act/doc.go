// Package act has the actors of a random history, and the table of their acts: people who work at GitHub, in Slack and
// over the API, CI, monitors, jobs that deploy, and accidents. Each actor is a type that owns the state it needs; state
// that others need goes into the ledger.
//
// table.go has a row for each kind of act; cast.go creates the actors; program.go has the interface by which they reach
// the program. An act chooses its objects by its three numbers, and may draw from a random source of its own. An act
// that is impossible now does nothing.
package act
