// Package slack is all that is asked of Slack: messages are posted and changed, people are looked up, and by Socket
// Mode Slack tells what they do. What a message looks like is decided here, within Slack's limits; what it says is not.
package slack
