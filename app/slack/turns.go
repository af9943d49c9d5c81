package slack

import (
	"maps"
	"time"
)

const (
	// spacing is how long a channel is left alone after a message was posted there: Slack takes about one in a second.
	spacing = time.Second
	// mostTurns is how many channels are remembered before those are forgotten that may have a message again: pipeline
	// files may name ever new ones.
	mostTurns = 1000
	// longestLine is how far ahead turns are given.
	longestLine = time.Hour
)

// turns say when the messages to a channel may be posted.
type turns struct {
	next time.Time // the next one
	last time.Time // the last of those that wait for a turn
}

// turn says how long to wait before the next message to a channel, and takes the turn if that is now. Each of those who
// wait is given another second: else all would come at once, for one of them to be served.
func (c *Client) turn(channel string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.config.Clock()
	t := c.turns[channel]
	if wait := t.next.Sub(now); wait > 0 && wait <= spacing {
		if t.last = t.last.Add(spacing); t.last.Before(t.next) || t.last.Sub(now) > longestLine {
			t.last = t.next
		}
		c.turns[channel] = t
		return t.last.Sub(now)
	}
	if len(c.turns) >= mostTurns {
		maps.DeleteFunc(c.turns, func(_ string, t turns) bool { return !t.next.After(now) && !t.last.After(now) })
	}
	t.next = now.Add(spacing)
	c.turns[channel] = t
	return 0
}
