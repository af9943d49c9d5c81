// Package layout looks at a repository that says what runs where, recognises how it is laid out, and drafts Waybill's
// files for it: the pipeline file, the policy file and a story of one promotion. Look recognises, Found.Draft drafts.
// The package reads files and writes none.
//
// Each way to lay out a repository is a Layout in a file of its own: it knows where in a file the version of an
// application stands. Environments and regions are recognised by their names in the path (environment.go), alike for
// all layouts.
package layout
