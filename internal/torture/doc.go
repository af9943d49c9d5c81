// Package torture plays random histories of the whole program: the app's own workers, the real store on SQLite or
// PostgreSQL, the real client of GitHub, and a simulated GitHub. A seed decides everything: the acts of people, CI and
// accidents, and the order of the workers' steps, the webhooks and the crashes.
//
// A history is played inside a bubble of testing/synctest, so that the schedule controls time: deadlines, naps and
// clocks cost nothing and always come in the same order. Every worker of the app does one step at a time on a goroutine
// of its own, which stops before and after each request to GitHub. The schedule lets exactly one of them go on, and
// then checks the invariants. Only a crash interrupts a worker between two requests: it may also come between two
// transactions.
//
// # The rooms
//
//	shape      the pipeline that a seed draws, and the text of its files
//	plan       the other draws of a seed: acts, their numbers, and how many steps the program does after each
//	act        the actors and the table of acts: people, CI, monitors, jobs, accidents
//	ledger     the record of a history: the database read from outside, the state of GitHub, the acts of people and
//	           CI, their consequences, the information that the program missed, and the trace and the story
//	invariant  the rules that must hold: tables by the moment at which each is checked
//
// The arrows point down: act and invariant see the ledger, and not each other; the ledger sees the shape. A test in
// internal/arrows checks the arrows. This folder puts the rooms together:
//
//	play.go      Play: one plan from its start to its end
//	world.go     the parts of one history, and the hooks just before and after GitHub answers a request
//	begin.go     the organisation, its repositories and people, Slack, and the settings of the program
//	neighbour.go a second installation, which GitHub answers slowly
//	crowd.go     clients who hold the door of the program
//	machine.go   the program: its processes, its workers, the wire to GitHub, its clock, its death. All calls of
//	             package app are here
//	schedule.go  the choice of the next step; rest, and the passing of time
//	loss.go      the loss of the database: an older copy takes its place
//	end.go       the end of a history: faults are removed, and all work must finish
//
// # Where something new goes
//
//	an act         a row in act/table.go, with its constant, and a method of its actor. A new kind of actor is a type
//	               in a file of act, and a line in act/cast.go
//	a command      a line in commands or drives, in act/commander.go
//	a fault of     a row of requestFaults in act/accidents.go. A fault that may hide information from the program
//	GitHub's       sets a field of ledger.Gaps, which invariants read that need a program with full information
//	a profile of   a field of shape.Shape, drawn in shape.Draw from a source of its own, so that seeds keep the rest
//	GitHub's       of their histories; newWorld in world.go starts the simulator with it
//	an invariant   a row in one of the tables of package invariant, and its name in docs/torture.md: a test compares
//	               them. Its memory is in the ledger, or between two moments in invariant.Watch
//	a stage of     a field of shape.Stage, drawn in shape/shape.go, written in shape/text.go
//	another kind
//	a database     Place in play.go says where it is, machine.go opens it, ledger/dialect.go says how it is read
//
// A new row in the table of acts, and a new draw from an old source, change the histories of all seeds. That is
// allowed: docs/torture.md names old seeds as those of their time.
//
// This is a test kit: nothing in the product imports it.
package torture
