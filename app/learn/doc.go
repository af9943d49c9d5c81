// Package learn asks GitHub for what the program does not know, and returns how to record it. What a webhook tells, a
// resync finds, and an effect meets on its way is learned here in the same way: pipeline files and the targets that
// they find (files.go, targets.go), freight (freight.go, heads.go, reported.go), commands and the rights of those who
// give them (requests.go, labelled.go), pull requests that guards look after (candidates.go), and what the stages'
// files say (drift.go).
package learn
