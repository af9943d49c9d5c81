// Package torture plays random histories of the whole program: the app's own workers, the real store on SQLite, the
// real client of GitHub, and a simulated GitHub. A seed decides everything: what people, CI and accidents do, and in
// which order the program's workers, its webhooks and its crashes follow each other.
//
// A history is played inside a bubble of testing/synctest, so that time is the schedule's: deadlines, naps and clocks
// cost nothing and always come in the same order. Every worker of the app does one step at a time on a goroutine of its
// own, which stops before and after each request to GitHub. The schedule lets exactly one of them go on, and looks at
// what holds afterwards. The steps of a worker between two requests are therefore never torn apart, except by crashes:
// those also come between two transactions.
//
// # The rooms
//
//	shape      the pipeline that a seed draws, and how people write it down
//	plan       what else a seed draws: acts, their numbers, and how much the program does after each
//	act        who acts, and the table of acts: people, CI, monitors, jobs, accidents
//	ledger     all that is known of a history: the database read from outside, what there is at GitHub, what people
//	           and CI have done, what follows from it, what the program was not told, and the trace and the story
//	invariant  what must hold: tables of rules, by the moment at which they are looked at
//
// The arrows point down: act and invariant see the ledger, and not each other; the ledger sees the shape;
// internal/arrows holds them to it. This folder puts them together:
//
//	play.go      Play: one plan from its start to its end
//	world.go     the parts of one history, and who sees a request to GitHub just before it is answered, and just after
//	begin.go     the organisation, its repositories and people, Slack, and the settings of the program
//	machine.go   the program: its processes, its workers, the wire to GitHub, its clock, its death. Whatever is
//	             called of package app is called here
//	schedule.go  whose turn it is; rest, and the passing of time
//	end.go       everything is put right, and everything must come to its end
//
// # Where something new goes
//
//	an act         a row in act/table.go, with its constant, and a method of whoever does it. A kind of actor of its own
//	               is a type in a file of act, and a line in act/cast.go
//	a command      a line in commands or drives, in act/commander.go
//	a fault of     a row of requestFaults in act/accidents.go. What takes from the program the chance to know something
//	GitHub's       says so in ledger.Gaps, where invariants look that need it to know everything
//	a profile of   a field of shape.Shape, drawn in shape.Draw from a source of its own, so that seeds keep the rest
//	GitHub's       of their histories; newWorld in world.go starts the simulator with it
//	an invariant   a row in one of the tables of package invariant, and its name in docs/torture.md: a test compares
//	               them. What it must remember is noted in the ledger, or between two moments in invariant.Watch
//	a stage of     a field of shape.Stage, drawn in shape/shape.go, written in shape/text.go
//	another kind
//	a database     begin.go names it, machine.go opens it, ledger/database.go reads it
//
// A new row in the table of acts, and a new draw from an old source, change the histories of all seeds. That is
// allowed: docs/torture.md names old seeds as those of their time.
//
// It is a test kit: nothing in the product imports it.
package torture
