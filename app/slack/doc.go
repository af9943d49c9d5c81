// Package slack has all requests to Slack: messages are posted and changed, people are looked up, and by Socket Mode
// Slack tells of their actions. The form of a message is decided here, within Slack's limits; its words are not.
package slack
