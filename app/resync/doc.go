// Package resync compares the stored facts with GitHub, so that nothing is lost that webhooks did not report. It
// resyncs each pipeline at intervals and on request (resync.go, and a file for each kind of fact); it asks GitHub which
// webhooks could not be delivered (sweep.go, missed.go), and which repositories have pipelines that are not known
// (discover.go).
package resync
