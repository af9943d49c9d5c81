// Package handlers receives deliveries. It verifies and acknowledges GitHub's webhooks, each of which is durable before
// it is acknowledged, and decodes them into events. It decides nothing and sends no requests: package app/intake finds
// out their meaning for a pipeline.
package handlers
