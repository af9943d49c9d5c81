// Package page is what people see in a browser: their pipelines, what each stage hosts and what it waits for, and a
// button for each command. It is a client of the HTTP API (package api) in the same process, and knows nothing else:
// nobody sees or does anything here that the API would refuse them. The page of an address of the API has the same
// address without /api/v1.
package page
