// Package invariant has what must hold in every history. An invariant is a row of a table: its name, and a function
// over what is known of the history, which says what is wrong. There is a table for each moment at which they are
// looked at:
//
//	changeRules    a promotion, after each step that wrote anything    promotions.go, rollouts.go
//	stepRules      all promotions, after such a step                   promotions.go
//	pullRules      a pull request of ours, after such a step           promotions.go
//	mergingRules   a merge that a worker is about to request           merges.go
//	branchRules    a branch that others have moved, after each request merges.go
//	mergeRules     a merge of ours, however it came about              merges.go
//	signRules      a merge that a worker has requested                 merges.go
//	rolloutRules   a step of a rollout that begins                     rollouts.go
//	commitRules    a commit of ours without a pull request             commits.go
//	runRules       a run of a workflow that has been started           commits.go
//	startRules     the program has been started again                  rest.go
//	restRules      nothing is left to do                               rest.go, shown.go
//	returnRules    the App has its access again                        end.go
//	endRules       everything has been put right                       end.go
//
// [Watch] calls them. docs/torture.md lists all names, and a test compares.
package invariant
