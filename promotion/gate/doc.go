// Package gate answers whether something may happen in a stage, and from when on.
//
// A [Keeper] holds a snapshot of the stage and a time. Its questions change nothing. Where an answer is no, it is a
// [promotion.Reason], and the zero reason is yes. Beside it stands the time until which the answer holds if nothing
// happens, so that the caller knows when to ask again; the zero time says that only an event can change it.
//
// The gates. People read the first that says no, and the others are not shown; the caller determines the order:
//
//   - Its images must have been pushed (complete.go).
//   - It must be available: taken straight from the warehouse, admitted by a person, or verified by as many upstream
//     stages as the pipeline file wants, each of which has hosted it for the soak time (available.go, soak.go). Why it
//     is not, and in which stages, is in unavailable.go; which freight automation may queue is in candidate.go.
//   - No hold and no freeze may stop its class of promotion: rollbacks pass the bot's holds (stop.go). A hold of one
//     target only keeps that target out of rollouts.
//   - Some target that it goes to must be ready, and GitHub must have said so recently enough (ready.go).
//   - A started promotion goes on only while its freight is not found bad upstream and its rollout is not paused. It is
//     merged only once enough people have signed off its contents (merge.go, signoff.go).
//   - People's own changes of a guarded stage's files, and jobs that deploy into its environments, wait for the
//     holds that stand in their way there (obstacles.go).
package gate
