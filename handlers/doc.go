// Package handlers receives deliveries. It verifies and acknowledges GitHub's webhooks, an acknowledged one being
// durable already, and decodes them into facts. It decides nothing and makes no requests: whoever takes a delivery out
// of the inbox finds out its meaning for a pipeline.
package handlers
