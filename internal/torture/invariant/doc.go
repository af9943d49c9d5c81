// Package invariant contains the rules that must hold in every history. An invariant is a row of a table: its name, and
// a function that checks the ledger of the history and describes a violation. Each kind of check has a table:
//
//	changeRules    a promotion, after each step that wrote anything    promotions.go, rollouts.go
//	stepRules      all promotions, after such a step                   promotions.go, intruders.go
//	pullRules      a pull request of Waybill, after such a step        promotions.go
//	mergingRules   a merge that a worker is about to request           merges.go
//	branchRules    a branch moved by others, after each request        merges.go
//	rulingRules    a check on a commit that passes by a request        guards.go
//	mergeRules     a merge of Waybill's pull request, or its commit    merges.go
//	signRules      a merge that a worker has requested                 merges.go
//	rolloutRules   a step of a rollout that begins                     rollouts.go
//	commitRules    a commit of Waybill's without a pull request        commits.go
//	runRules       a run of a workflow that has been started           commits.go
//	startRules     the program has been started again                  rest.go
//	restRules      no work is left                                     rest.go, guards.go, shown.go, tenants.go
//	returnRules    the App has its access again                        end.go
//	endRules       every fault has been repaired                       end.go
//
// [Watch] calls them. docs/torture.md lists all names, and a test compares the two lists.
package invariant
