// Package resync compares what is known with GitHub, so that nothing is lost that no webhook has told of. Each pipeline
// is resynced at intervals, and when that is asked for (resync.go, and a file for each kind of fact); GitHub is asked
// which webhooks it could not deliver (sweep.go, missed.go), and which repositories have pipelines that nobody has told
// of (discover.go).
package resync
