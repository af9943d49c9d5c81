// Package env has the [Env] that every room of the program works with: the database, the clients of GitHub, the clock,
// the registry of pipelines, people's rights, the wakes of the workers, and the metrics.
package env
