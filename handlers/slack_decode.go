package handlers

import (
	"encoding/json"
	"fmt"
	"strings"
)

// SlackAct is an action of a person in Slack.
type SlackAct struct {
	Kind       string // SlackCommand, SlackButton, SlackMention or SlackHome
	Team       string // the workspace in which it was done
	Enterprise string // the organization that the workspace belongs to; "": none
	User       string
	// the workspace that the person belongs to, where Slack says it: in a shared channel it may be another
	UserTeam string
	Channel  string
	Called   string // the channel's name, with a #; only a slash command tells it
	Thread   string // of a mention: the thread in which it stands, or which an answer begins
	Text     string // the typed text, without the mention
	Action   string // of a button: which one
	Value    string // of a button: its value
	ReplyTo  string // an address for answers, which only the person sees; "": none. It has not been verified
}

// DecodeSlack reads a payload that AcceptSlack has stored. It returns ErrIgnored if it is no act of a person.
func DecodeSlack(event string, body []byte) (SlackAct, error) {
	switch event {
	case SlackCommand:
		return decodeCommand(body)
	case SlackButton:
		return decodeButton(body)
	case SlackMention, SlackHome:
		return decodeEvent(event, body)
	}
	return SlackAct{}, ErrIgnored
}

func decodeCommand(body []byte) (SlackAct, error) {
	var c struct {
		Team       string `json:"team_id"`
		Enterprise string `json:"enterprise_id"`
		User       string `json:"user_id"`
		Channel    string `json:"channel_id"`
		Name       string `json:"channel_name"`
		Text       string `json:"text"`
		ReplyTo    string `json:"response_url"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return SlackAct{}, fmt.Errorf("read a slash command: %w", err)
	}
	called := ""
	if c.Name != "" && c.Name != "privategroup" && c.Name != "directmessage" { // what Slack says instead of a private name
		called = "#" + c.Name
	}
	return whole(SlackAct{
		Called: called, Kind: SlackCommand, Team: c.Team, Enterprise: c.Enterprise, User: c.User, Channel: c.Channel,
		Text: unescaped(c.Text), ReplyTo: c.ReplyTo,
	})
}

func decodeButton(body []byte) (SlackAct, error) {
	type named struct {
		ID   string `json:"id"`
		Team string `json:"team_id"`
	}
	var b struct {
		User       named  `json:"user"`
		Team       *named `json:"team"`
		Enterprise *named `json:"enterprise"`
		Channel    *named `json:"channel"`
		Container  struct {
			Thread string `json:"thread_ts"`
		} `json:"container"`
		Actions []struct {
			ID    string `json:"action_id"`
			Value string `json:"value"`
		} `json:"actions"`
		ReplyTo string `json:"response_url"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return SlackAct{}, fmt.Errorf("read a click: %w", err)
	}
	if len(b.Actions) != 1 {
		return SlackAct{}, ErrIgnored
	}
	a := SlackAct{
		Kind: SlackButton, User: b.User.ID, UserTeam: b.User.Team, Thread: b.Container.Thread,
		Action: b.Actions[0].ID, Value: b.Actions[0].Value, ReplyTo: b.ReplyTo,
	}
	a.Team = b.User.Team
	if b.Team != nil {
		a.Team = b.Team.ID
	}
	if b.Enterprise != nil {
		a.Enterprise = b.Enterprise.ID
	}
	if b.Channel != nil {
		a.Channel = b.Channel.ID
	}
	return whole(a)
}

func decodeEvent(kind string, body []byte) (SlackAct, error) {
	var e struct {
		Team       string `json:"team_id"`
		Enterprise string `json:"enterprise_id"`
		Event      struct {
			User     string `json:"user"`
			UserTeam string `json:"user_team"`
			Team     string `json:"team"`
			Bot      string `json:"bot_id"`
			Channel  string `json:"channel"`
			Text     string `json:"text"`
			TS       string `json:"ts"`
			Thread   string `json:"thread_ts"`
			Tab      string `json:"tab"`
			Subtype  string `json:"subtype"`
		} `json:"event"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return SlackAct{}, fmt.Errorf("read an event of Slack's: %w", err)
	}
	ev := e.Event
	if ev.Bot != "" || ev.Subtype != "" || kind == SlackHome && ev.Tab != "home" {
		return SlackAct{}, ErrIgnored
	}
	a := SlackAct{
		Kind: kind, Team: e.Team, Enterprise: e.Enterprise, User: ev.User, UserTeam: firstOf(ev.UserTeam, ev.Team),
		Channel: ev.Channel, Thread: firstOf(ev.Thread, ev.TS),
	}
	if kind == SlackMention {
		said, calls := afterMention(ev.Text)
		if !calls {
			return SlackAct{}, ErrIgnored // prose in which we are mentioned
		}
		a.Text = said
	}
	return whole(a)
}

// afterMention returns the rest of a message that begins with our name.
func afterMention(text string) (said string, calls bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "<@") {
		return "", false
	}
	_, said, found := strings.Cut(text, ">")
	return unescaped(strings.TrimSpace(said)), found
}

// unescaped undoes Slack's escapes in typed text.
func unescaped(text string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
}

// whole returns an act that has all fields needed to answer it.
func whole(a SlackAct) (SlackAct, error) {
	if a.Team == "" || a.User == "" || a.Channel == "" && a.Kind != SlackButton && a.Kind != SlackHome {
		return SlackAct{}, fmt.Errorf("%w from %s: it does not say who or where", ErrIgnored, a.Kind)
	}
	return a, nil
}
