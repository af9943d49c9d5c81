// Package store is the ledger: deliveries, facts, promotions and their ends, effects that are owed, views that are
// wanted, and the audit trail. Facts go in, the Snapshot of a stage comes out, and a Decision is applied completely or
// not at all, before anything on GitHub shows it.
//
// # Writing and reading
//
// Update runs a function in a transaction that writes, and may run it again; View runs one in a transaction that reads.
// A transaction has a handle for each domain; their functions stand in files named after their table, the SQL beside
// the function:
//
//	Inbox    deliveries that have arrived, and webhooks that GitHub has to deliver again
//	Facts    facts of GitHub and CI: freight, signals, pushes, pull requests, values in files
//	Ledger   pipelines, stages, promotions, attempts, holds, approvals, requests; NextUndecided, Snapshot and Apply
//	Outbox   effects: ClaimEffect, FinishEffect, RetryEffect, FailEffect
//	Views    how surfaces should look: WantView, ClaimView, ShowedView
//	Clocks   resyncs and other work that comes back by itself
//	People   Slack accounts and the GitHub accounts they belong to
//	Audit    the audit trail: Log, Events, Trail, CheckTrail
//	Upkeep   Backlog, Prune, Shrink
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
