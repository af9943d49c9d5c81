// Package health finds out what is wrong with a server and with what it was set up with at GitHub and Slack. [Doctor]
// gathers facts (facts.go), of which each check makes findings. needs.go has the permissions and events of the App, by
// the feature that needs them.
package health
