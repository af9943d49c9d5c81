package slacksim

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// Message is one message as shown to people.
type Message struct {
	TS, ThreadTS string
	Channel      string // its id
	User         string // its author: Bot, or a person
	Text         string
	Blocks       []Block
	EphemeralTo  string // the only user who sees it; "": the whole channel
	Broadcast    bool   // a reply in a thread that is also shown in the channel
	Edited       bool
	At           time.Time
	Replies      []Message // in its thread, in order
}

// Block is a block of a message or view, with the parts that people see.
type Block struct {
	Type      string    `json:"type"`
	ID        string    `json:"block_id,omitempty"`
	Text      *Text     `json:"text,omitempty"`
	Fields    []Text    `json:"fields,omitempty"`
	Elements  []Element `json:"elements,omitempty"`
	Accessory *Element  `json:"accessory,omitempty"`
}

// Text is a text object: plain_text or mrkdwn.
type Text struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

// Element is a button, or a text of a context block, whose Body is a plain string.
type Element struct {
	Type     string          `json:"type"`
	ActionID string          `json:"action_id,omitempty"`
	Body     json.RawMessage `json:"text,omitempty"`
	Value    string          `json:"value,omitempty"`
	URL      string          `json:"url,omitempty"`
	Style    string          `json:"style,omitempty"`
	Confirm  *Confirm        `json:"confirm,omitempty"`
}

// Text is the text of the element.
func (e Element) Text() string {
	var object Text
	if json.Unmarshal(e.Body, &object) == nil {
		return object.Text
	}
	var plain string
	_ = json.Unmarshal(e.Body, &plain)
	return plain
}

// Confirm is the confirmation dialog of a button.
type Confirm struct {
	Title   Text `json:"title"`
	Text    Text `json:"text"`
	Confirm Text `json:"confirm"`
	Deny    Text `json:"deny"`
}

// View is the App Home of a user, or a dialog.
type View struct {
	Type   string  `json:"type"`
	Blocks []Block `json:"blocks"`
}

// Channel is a channel or a conversation with the bot.
type Channel struct {
	ID, Name string
	With     string // the user of a conversation with the bot; "": a channel
}

// Channels lists the channels, and then the conversations with the bot.
func (s *Server) Channels() []Channel {
	s.world.Lock()
	defer s.world.Unlock()
	var all []Channel
	for _, c := range s.world.channels {
		all = append(all, Channel{c.id, c.name, c.im})
	}
	slices.SortStableFunc(all, func(a, b Channel) int { return cmp.Compare(a.With, b.With) })
	return all
}

// Users lists the people.
func (s *Server) Users() []User {
	s.world.Lock()
	defer s.world.Unlock()
	var all []User
	for _, u := range s.world.users {
		all = append(all, *u)
	}
	return all
}

// Messages lists the messages of a channel (an id, a name, or a user for their conversation with the bot), each with
// its thread, ephemeral ones included.
func (s *Server) Messages(channel string) []Message {
	s.world.Lock()
	defer s.world.Unlock()
	c := s.world.channel(channel)
	if c == nil {
		return nil
	}
	var all []Message
	for _, m := range c.messages {
		if m.ThreadTS != "" && c.message(m.ThreadTS) != nil {
			continue
		}
		one := *m
		for _, r := range c.messages {
			if r.ThreadTS == m.TS {
				one.Replies = append(one.Replies, *r)
			}
		}
		all = append(all, one)
	}
	return all
}

// Buttons lists the buttons of a message, in order.
func (m Message) Buttons() []Element { return buttons(m.Blocks) }

// Buttons lists the buttons of a view, in order.
func (v View) Buttons() []Element { return buttons(v.Blocks) }

func buttons(blocks []Block) []Element {
	var all []Element
	for _, b := range blocks {
		for _, e := range b.Elements {
			if e.Type == "button" {
				all = append(all, e)
			}
		}
		if b.Accessory != nil && b.Accessory.Type == "button" {
			all = append(all, *b.Accessory)
		}
	}
	return all
}

// Home returns the App Home of a user.
func (s *Server) Home(user string) (View, bool) {
	s.world.Lock()
	defer s.world.Unlock()
	v, found := s.world.homes[user]
	return v, found
}

// Call is one request to the Web API.
type Call struct {
	Method  string
	Channel string
	Status  int
	Error   string // Slack's name of the error; "": ok
}

// Calls lists the requests to the Web API so far.
func (s *Server) Calls() []Call {
	s.world.Lock()
	defer s.world.Unlock()
	return slices.Clone(s.api.calls)
}
