// Package work has the parts that all workers of the program share, and knows nothing of the work itself: workers and
// their wakes (worker.go, wake.go), leases of claimed work (lease.go), delays between tries (backoff.go, retry.go),
// clocks in the database (timed.go), panics that are contained to one piece of work (contain.go), and records, which
// are written in the transaction that ends a piece of work (record.go).
package work
