// Package handlers is where deliveries come in. It verifies and acknowledges GitHub's webhooks, an acknowledged one
// being durable already, and decodes them into facts. It decides nothing and calls nobody: what a delivery means for a
// pipeline is found out by whoever takes it out of the inbox.
package handlers
