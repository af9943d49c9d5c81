// Package api answers programs and people over HTTP: the contents and states of a pipeline's stages, with their reasons
// (docs/api.md). It reads, through package promotion's own answers, and leaves all changes to the App. Every answer is
// a Go type of this package; docs/api.md is made of those types and of the table in routes.go.
//
// The way of a request: serve.go (identity and rights), the handler that its route names, and back as JSON or as a
// Problem. A caller who may not read a pipeline gets the same answer as if there were none.
package api
