package slacksim

import "time"

// postMessage writes a message to a channel or a thread.
func (a *webAPI) postMessage(c request) (answer, error) {
	channel, err := a.where(c)
	if err != nil {
		return nil, err
	}
	m, err := a.message(channel, c)
	if err != nil {
		return nil, err
	}
	if err := a.spend(channel); err != nil {
		return nil, err
	}
	m.ThreadTS, m.Broadcast = c.args["thread_ts"], c.args["reply_broadcast"] == "true"
	if m.ThreadTS != "" && channel.message(m.ThreadTS) == nil {
		return nil, refusal("thread_not_found")
	}
	channel.messages = append(channel.messages, m)
	return answer{
		"channel": channel.id, "ts": m.TS, "message": answer{
			"text": m.Text, "ts": m.TS, "user": Bot, "bot_id": botID, "type": "message",
		},
	}, nil
}

// postEphemeral writes a message that only one person sees, until they reload.
func (a *webAPI) postEphemeral(c request) (answer, error) {
	channel, err := a.where(c)
	if err != nil {
		return nil, err
	}
	if a.world.user(c.args["user"]) == nil {
		return nil, refusal("user_not_in_channel")
	}
	m, err := a.message(channel, c)
	if err != nil {
		return nil, err
	}
	m.EphemeralTo, m.ThreadTS = c.args["user"], c.args["thread_ts"]
	channel.messages = append(channel.messages, m)
	return answer{"message_ts": m.TS}, nil
}

// updateMessage changes a message of the App. Without blocks in the request the old ones stay; an empty list removes
// them.
func (a *webAPI) updateMessage(c request) (answer, error) {
	channel := a.world.channel(c.args["channel"])
	if channel == nil || channel.id != c.args["channel"] {
		return nil, refusal("channel_not_found")
	}
	m := channel.message(c.args["ts"])
	switch {
	case m == nil || m.EphemeralTo != "":
		return nil, refusal("message_not_found")
	case m.User != Bot:
		return nil, refusal("cant_update_message")
	}
	next, err := a.message(channel, c)
	if err != nil {
		return nil, err
	}
	m.Text, m.Edited = next.Text, true
	if _, given := c.args["blocks"]; given {
		m.Blocks = next.Blocks
	}
	return answer{"channel": channel.id, "ts": m.TS, "text": m.Text}, nil
}

// where finds the channel of a new message.
func (a *webAPI) where(c request) (*conversation, error) {
	name := c.args["channel"]
	channel := a.world.channel(name)
	if channel == nil && a.world.user(name) != nil {
		channel = a.world.im(name)
	}
	switch {
	case channel == nil:
		return nil, refusal("channel_not_found")
	case channel.outside:
		return nil, refusal("not_in_channel")
	case channel.im != "" && a.world.noTab:
		return nil, refusal("messages_tab_disabled")
	}
	return channel, nil
}

// message makes a message from the arguments, within Slack's limits.
func (a *webAPI) message(c *conversation, asked request) (*Message, error) {
	blocks, err := readBlocks(asked.args["blocks"], maxMessageBlocks)
	text := asked.args["text"]
	switch {
	case err != nil:
		return nil, err
	case len(text) == 0 && len(blocks) == 0:
		return nil, refusal("no_text")
	case len([]rune(text)) > maxText:
		return nil, refusal("msg_too_long")
	}
	now := a.world.clock()
	return &Message{TS: a.world.stamp(now), Channel: c.id, User: Bot, Text: text, Blocks: blocks, At: now}, nil
}

// spend counts a message against the limit of messages to a channel in a second.
func (a *webAPI) spend(c *conversation) error {
	if a.options.PostsPerSecond == 0 {
		return nil
	}
	now := a.world.clock()
	recent := a.world.posted[c.id][:0]
	for _, at := range a.world.posted[c.id] {
		if now.Sub(at) < time.Second {
			recent = append(recent, at)
		}
	}
	a.world.posted[c.id] = recent
	if len(recent) >= a.options.PostsPerSecond {
		return tooFast(time.Second - now.Sub(recent[0]))
	}
	a.world.posted[c.id] = append(recent, now)
	return nil
}
