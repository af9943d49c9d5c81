// Package inapi is the HTTP API as a surface: commands come as requests that wait for their answer. It is also the
// adapter by which the API (package api) reaches the rest of the program.
package inapi
