package slacksim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// replyURL is an address at which an App may answer an interaction, with a limit of uses and time.
type replyURL struct {
	channel, user string
	message       string // the message of the button; "": a command
	left          int
	until         time.Time
}

// The limits of a response_url.
const (
	replyUses = 5
	replyTime = 30 * time.Minute
)

// respond handles a message of the App to a response_url.
func (a *webAPI) respond(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxCall))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fault := a.faults.take("response_url")
	if !pause(r, fault.Delay) {
		panic(http.ErrAbortHandler)
	}
	if fault.Status != 0 {
		http.Error(w, http.StatusText(fault.Status), fault.Status)
		return
	}
	status, text := a.responded(r.PathValue("id"), body)
	if fault.LoseReply {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
	fmt.Fprint(w, text)
}

func (a *webAPI) responded(id string, body []byte) (status int, text string) {
	var said struct {
		ResponseType string          `json:"response_type"`
		Replace      bool            `json:"replace_original"`
		Text         string          `json:"text"`
		Blocks       json.RawMessage `json:"blocks"`
	}
	a.world.Lock()
	defer a.world.Unlock()
	u := a.world.replies[id]
	if u == nil || u.left == 0 || a.world.clock().After(u.until) {
		return http.StatusNotFound, "expired_url"
	}
	if json.Unmarshal(body, &said) != nil {
		return http.StatusBadRequest, "invalid_payload"
	}
	c := a.world.channel(u.channel)
	if c == nil {
		return http.StatusNotFound, "channel_not_found"
	}
	blocks := ""
	if said.Blocks != nil {
		blocks = string(said.Blocks)
	}
	m, err := a.message(c, request{args: map[string]string{"text": said.Text, "blocks": blocks}})
	if err != nil {
		return http.StatusBadRequest, err.Error()
	}
	u.left--
	if old := c.message(u.message); said.Replace && old != nil {
		old.Text, old.Blocks, old.Edited = m.Text, m.Blocks, true
		return http.StatusOK, "ok"
	}
	if said.ResponseType != "in_channel" {
		m.EphemeralTo = u.user
	}
	c.messages = append(c.messages, m)
	return http.StatusOK, "ok"
}
