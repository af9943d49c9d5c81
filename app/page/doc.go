// Package page serves HTML pages: the stages of a pipeline with their freight and the reasons why they wait, and a
// button for each command. It is a client of the HTTP API (package api) in the same process, and has no other source:
// nobody sees or does anything here that the API would refuse them. A page has the address of its data in the API,
// without /api/v1.
package page
