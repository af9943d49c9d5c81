// Package store keeps everything that Waybill knows in one SQLite file: deliveries, facts, promotions and what became of
// them, effects that are owed, views that are wanted, and the audit trail. Facts go in, a stage's Snapshot comes out, and
// a Decision is applied in the same transaction, so that a decision is written down completely or not at all, before
// anything on GitHub shows it.
//
// # Writing and reading
//
// Open starts one goroutine that owns the one connection that writes. Whoever calls Update while a transaction is being
// committed shares the next one with everybody else who waits, each under a savepoint of its own unless it is a single
// statement, and gets its answer when that transaction is durable. View reads beside it. The methods of Tx stand in files
// named after their table, the SQL beside the function:
//
//	deliveries   Store.Accept, ClaimDelivery, DeliveryHandled, DelayDelivery, DeliveryFailed, ParkDelivery, ReplayDelivery
//	pipelines    SavePipeline, Pipeline, PipelineByRepo, Pipelines, ClaimResync, Resynced, ResyncFailed, Outlook
//	facts        RecordFreight, RecordSignal, RecordSuite, RecordPull, BumpPullsAt, BumpPullsInto, RecordPush, RecordRequest
//	attempts     SavePlan, SaveCommit, Prepared, SaveOpened, SaveRebuilt, SaveUnmergeable, SaveFailure, SaveObserved
//	decisions    NextUndecided, Snapshot, Apply, Postpone
//	effects      ClaimEffect, FinishEffect, RetryEffect, FailEffect
//	views        WantView, ClaimView, ClaimMore, ShowedView, RetryView, LostView, RefreshView, CheckByID
//	wishes       KeepWish, Wishes, ForgetWish
//	audit        Log, Events, Trail, CheckTrail
//	upkeep       Backlog, Prune, Store.Ping, Backup
//
// # Who has to decide
//
// Every fact that is new raises the counter dirty of exactly the stages that it concerns; Apply sets decided to the dirty
// that its snapshot saw. A stage with dirty > decided, or whose wake_at has come, is undecided. A fact that is known
// already changes nothing: a resync of an unchanged pipeline writes nothing but its own time.
//
// # One SQL for two databases
//
// The statements are those that PostgreSQL accepts too: numbered parameters, ON CONFLICT, RETURNING, partial unique
// indexes, rows as values; ids and times come from Go, times are microseconds since 1970, lists are opaque JSON text.
// Only sqlite.go, guard.go, inspect.go, check.go and the lock know which database it is. Package storetest is the suite that a
// second one has to pass.
package store
