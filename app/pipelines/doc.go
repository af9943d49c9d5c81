// Package pipelines knows what the stored pipeline files mean. A [Registry] compiles each once, and answers which
// pipelines or warehouses something concerns that happens in a repository: as a source of freight (subscribers.go), as
// a place of files or of commands (find.go), or in Slack (slack.go).
package pipelines
