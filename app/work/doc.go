// Package work has what every worker of the program needs, and nothing of what any of them does: workers and the wakes
// that call them (worker.go, wake.go), leases of claimed work (lease.go), times between tries (backoff.go), clocks that
// are kept in the database (timed.go), panics that are contained to one piece of work (contain.go), and records: what
// is to be written down, in the transaction that ends the work (record.go).
package work
