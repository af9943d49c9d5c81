// Package store is the ledger: deliveries, facts, promotions and their ends, effects that are owed, views that are
// wanted, and the audit trail. Facts go in, the Snapshot of a stage comes out, and a Decision is applied completely or
// not at all, before anything on GitHub shows it.
//
// # Writing and reading
//
// Update runs a function in a transaction that writes, and may run it again; View runs one in a transaction that reads.
// A transaction has a handle for each domain; their functions stand in files named after their table, the SQL beside
// the function. First what comes in, then what is decided on it, what goes out, and the rest:
//
//	Inbox        what has arrived, and webhooks that GitHub has to deliver again
//	Freight      freight, and the images that it awaits
//	Warehouses   since when pipelines have their warehouses, and how far these are known
//	Candidates   changes that people want in the branches of pipelines
//	Signals      what CI reports of commits
//	Branches     where branches have moved, and by which rules they do
//	Pulls        our pull requests
//	Readings     what the files of stages say
//	Readiness    which targets of stages are ready
//
//	Pipelines    the pipelines, and what their files say
//	Stages       which stages have to be decided: NextUndecided, Touch, Postpone
//	Requests     the commands of people, and what they are answered
//	Ledger       the decisions about stages: Basis, Snapshot and Apply, with holds, rejects and approvals
//	Promotions   the promotions of freight into stages
//	Plans        what promotions would write, and the commits made of it
//	Attempts     how promotions stand on GitHub
//	Turns        whose turn it is to be merged into a branch
//	Deployments  which freight the stages host
//	Recovery     what the database may lack, after an absence or as a copy
//
//	Outbox       effects: ClaimEffect, FinishEffect, RetryEffect, FailEffect
//	Views        how surfaces should look: WantView, ClaimView, ShowedView
//
//	Names        the repositories and accounts that names on GitHub mean, and what these allow
//	People       Slack accounts and the GitHub accounts they belong to
//	Clocks       resyncs and other work that comes back by itself
//	Audit        the audit trail: Log, Events, Trail, CheckTrail
//	Upkeep       Backlog, Prune, Shrink
//
// # Who has to decide
//
// Every write of a row that the snapshot of a stage reads raises the version of that stage, in the same transaction. A
// decision is made outside of any transaction, on a Basis: Apply writes it if the stage still has the version that the
// basis saw. A stage whose version is not decided, or whose wake_at has come, is undecided. A fact that is known
// already changes nothing: a resync of an unchanged pipeline writes nothing but its own time.
//
// # One SQL for two databases
//
// The statements are those that PostgreSQL accepts too: numbered parameters, ON CONFLICT, RETURNING, partial unique
// indexes, rows as values; times are microseconds since 1970, lists are opaque JSON text. A test prepares every one of
// them on a PostgreSQL, and the tests run on both (WAYBILL_TEST_DATABASE=postgres). Everything that is special to a
// database stands in package sqlite or postgres, behind the line that package driver draws.
package store
