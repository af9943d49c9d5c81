package slacksim

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
)

// Slash types a slash command as a user in a channel: Slash(ctx, "U1", "deploys", "promote prod"). It returns the App's
// acknowledgement. If the App does not acknowledge in time, the person sees Slack's error.
func (s *Server) Slash(ctx context.Context, user, channel, text string) Ack {
	s.world.Lock()
	who, where := s.world.place(user, channel)
	form := url.Values{
		"token": {"deprecated"}, "team_id": {who.TeamID}, "team_domain": {"acme"}, "channel_id": {where.id},
		"channel_name": {where.name},
		"user_id":      {who.ID}, "user_name": {who.Name}, "command": {"/waybill"}, "text": {text}, "api_app_id": {AppID},
		"is_enterprise_install": {"false"}, "trigger_id": {s.world.trigger()},
		"response_url": {s.world.replyURL(where.id, who.ID, "")},
	}
	if who.Enterprise != "" {
		form.Set("enterprise_id", who.Enterprise)
	}
	s.world.Unlock()
	ack := s.deliver(ctx, dispatch{
		kind: "slash_commands", path: "/api/slack/commands", id: form.Get("trigger_id"), form: form,
	})
	s.world.Lock()
	defer s.world.Unlock()
	switch {
	case !ack.OK():
		s.world.whisper(where, who.ID, "/waybill failed with the error \"operation_timeout\"")
	case ack.Body != "":
		s.world.whisper(where, who.ID, ack.Body)
	}
	return ack
}

// Press presses a button of a message as a user, and confirms. The button is passed by value, so that a test can tamper
// with it.
func (s *Server) Press(ctx context.Context, user, channel, ts string, button Element) Ack {
	s.world.Lock()
	who, where := s.world.place(user, channel)
	message := answer{"ts": ts}
	if m := where.message(ts); m != nil {
		message = answer{
			"ts": m.TS, "thread_ts": m.ThreadTS, "text": m.Text, "blocks": m.Blocks, "user": m.User, "type": "message",
		}
	}
	payload := s.interaction(who, button)
	payload["container"] = answer{"type": "message", "message_ts": ts, "channel_id": where.id, "is_ephemeral": false}
	payload["channel"] = answer{"id": where.id, "name": where.name}
	payload["message"] = message
	payload["response_url"] = s.world.replyURL(where.id, who.ID, ts)
	s.world.Unlock()
	return s.interact(ctx, payload)
}

// PressHome presses a button of a user's App Home.
func (s *Server) PressHome(ctx context.Context, user string, button Element) Ack {
	s.world.Lock()
	who, _ := s.world.place(user, user)
	payload := s.interaction(who, button)
	payload["container"] = answer{"type": "view", "view_id": "V" + who.ID}
	payload["view"] = answer{"id": "V" + who.ID, "type": "home"}
	s.world.Unlock()
	return s.interact(ctx, payload)
}

func (s *Server) interaction(who *User, button Element) answer {
	action := answer{
		"type": "button", "action_id": button.ActionID, "block_id": "b", "value": button.Value,
		"text": Text{Type: "plain_text", Text: button.Text()},
	}
	action["action_ts"] = s.world.stamp(s.world.clock())
	payload := answer{
		"type": "block_actions", "api_app_id": AppID, "token": "deprecated", "trigger_id": s.world.trigger(),
		"enterprise":            nil,
		"is_enterprise_install": false,
		"user":                  answer{"id": who.ID, "username": who.Name, "name": who.Name, "team_id": who.TeamID},
		"team":                  answer{"id": Team, "domain": "acme"}, "actions": []answer{action},
	}
	if who.Enterprise != "" {
		payload["enterprise"] = answer{"id": who.Enterprise, "name": "Acme Grid"}
	}
	return payload
}

func (s *Server) interact(ctx context.Context, payload answer) Ack {
	text, err := json.Marshal(payload)
	if err != nil {
		return Ack{Err: err}
	}
	id := fmt.Sprint(payload["trigger_id"])
	return s.deliver(ctx, dispatch{
		kind: "interactive", path: "/api/slack/interactions", id: id, form: url.Values{"payload": {string(text)}},
		payload: text,
	})
}

// Mention writes a message of a user that mentions the bot, in a thread if thread is not empty.
func (s *Server) Mention(ctx context.Context, user, channel, thread, text string) Ack {
	s.world.Lock()
	who, where := s.world.place(user, channel)
	now := s.world.clock()
	m := &Message{
		TS: s.world.stamp(now), ThreadTS: thread, Channel: where.id, User: who.ID, Text: "<@" + Bot + "> " + text, At: now,
	}
	where.messages = append(where.messages, m)
	event := answer{
		"type": "app_mention", "user": who.ID, "text": m.Text, "ts": m.TS, "channel": where.id, "event_ts": m.TS,
		"team": who.TeamID,
	}
	if thread != "" {
		event["thread_ts"] = thread
	}
	s.world.Unlock()
	return s.event(ctx, who, event)
}

// OpenHome opens the App Home of a user.
func (s *Server) OpenHome(ctx context.Context, user string) Ack {
	s.world.Lock()
	who, _ := s.world.place(user, user)
	event := answer{
		"type": "app_home_opened", "user": who.ID, "channel": s.world.im(who.ID).id, "tab": "home",
		"event_ts": s.world.stamp(s.world.clock()),
	}
	s.world.Unlock()
	return s.event(ctx, who, event)
}

// event sends an event of a person.
func (s *Server) event(ctx context.Context, who *User, event answer) Ack {
	s.world.Lock()
	id := "Ev" + strconv.Itoa(s.world.next())
	s.world.Unlock()
	envelope := answer{
		"token": "deprecated", "team_id": Team, "api_app_id": AppID, "event": event, "type": "event_callback", "event_id": id,
		"event_time": s.world.clock().Unix(), "authorizations": []answer{{"team_id": Team, "user_id": Bot, "is_bot": true}},
	}
	if who.Enterprise != "" {
		envelope["enterprise_id"] = who.Enterprise
	}
	text, err := json.Marshal(envelope)
	if err != nil {
		return Ack{Err: err}
	}
	d := dispatch{kind: "events_api", path: "/api/slack/events", id: id, json: text, payload: text}
	return s.keep(ctx, d)
}
