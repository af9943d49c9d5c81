// Package learn asks GitHub for facts that the program does not have, and returns how to record them. Facts from
// webhooks, resyncs and effects are learned here in the same way: pipeline files and the targets that they find
// (files.go, targets.go), freight (freight.go, heads.go, reported.go), commands and the rights of the people who give
// them (requests.go, labelled.go), pull requests into guarded files (candidates.go), and the contents of the stages'
// files (drift.go).
package learn
