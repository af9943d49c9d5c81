// Package pipelines compiles the stored pipeline files. A [Registry] compiles each once, and finds the pipelines or
// warehouses that an event in a repository concerns: as a source of freight (subscribers.go), as a place of files or of
// commands (find.go), or in Slack (slack.go).
package pipelines
