package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// SourceSlack is the Source of every delivery that came from Slack, over HTTP or by Socket Mode.
const SourceSlack = "slack"

// The actions of people in Slack, as the Event of a delivery.
const (
	SlackCommand = "slash_command"
	SlackButton  = "block_actions"
	SlackMention = "app_mention"
	SlackHome    = "app_home_opened"
)

// errNotSlack says that something has not the form of anything that Slack sends.
var errNotSlack = errors.New("not what Slack sends")

// slackEnvelope has the fields that tell one payload of Slack from another.
type slackEnvelope struct {
	Type      string `json:"type"`
	Challenge string `json:"challenge"`
	Command   string `json:"command"`
	TriggerID string `json:"trigger_id"`
	EventID   string `json:"event_id"`
	Event     struct {
		Type string `json:"type"`
	} `json:"event"`
}

// slackChallenge answers Slack's question whether this address is ours.
func slackChallenge(payload []byte) (string, bool) {
	var e slackEnvelope
	is := json.Unmarshal(payload, &e) == nil && e.Type == "url_verification" && e.Challenge != "" &&
		len(e.Challenge) < 1000
	return e.Challenge, is
}

// AcceptSlack stores a payload of Slack, from any route, before it is acknowledged. A payload that Slack sends again
// has the same id and is stored once (T30). It is ErrIgnored if nothing here is about it.
func AcceptSlack(
	ctx context.Context, inbox Inbox, payload []byte, now time.Time,
) (fresh bool, event string, err error) {
	var e slackEnvelope
	if json.Unmarshal(payload, &e) != nil {
		return false, "", errNotSlack
	}
	id := e.TriggerID
	switch {
	case e.Command != "":
		event = SlackCommand
	case e.Type == SlackButton:
		event = SlackButton
	case e.Type == "event_callback" && (e.Event.Type == SlackMention || e.Event.Type == SlackHome):
		event, id = e.Event.Type, e.EventID
	default:
		return false, "", ErrIgnored
	}
	if id == "" || len(id) > 200 {
		return false, "", errNotSlack
	}
	body, err := withoutToken(payload)
	if err != nil {
		return false, "", errNotSlack
	}
	fresh, err = inbox.Accept(ctx, Delivery{Source: SourceSlack, GUID: id, Event: event, Body: body, Received: now})
	return fresh, event, err
}

// withoutToken removes the token by which Slack used to say who it is: a database should not hold one.
func withoutToken(payload []byte) ([]byte, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(payload, &object); err != nil {
		return nil, err
	}
	delete(object, "token")
	return json.Marshal(object)
}
