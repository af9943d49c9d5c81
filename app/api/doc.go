// Package api answers programs and people over HTTP: what is where in a pipeline, and why (docs/api.md). It reads,
// through package promotion's own answers, and leaves what changes something to the App. Every answer is a Go type of
// this package; docs/api.md is made of those types and of the table in routes.go.
//
// The way of a request: serve.go (who is it, and may they), the handler that its route names, and back as JSON or as a
// Problem. Whoever may not read a pipeline is told the same as if there were none.
package api
