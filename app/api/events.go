package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"
)

// Event is a line of the audit trail.
type Event struct {
	Seq       int64     `json:"seq" doc:"its place; lines are never changed, and numbers of a pipeline never given twice"`
	At        time.Time `json:"at" doc:"when"`
	Kind      string    `json:"kind" doc:"state, class, stage, command, effect or alert; names the server-sent event"`
	Word      string    `json:"word" doc:"the state, the command, the effect"`
	Stage     string    `json:"stage,omitempty" doc:"where"`
	Promotion int64     `json:"promotion,omitempty" doc:"to which promotion"`
	SHA       string    `json:"sha,omitempty" doc:"the commit that came of it"`
	Why       *Why      `json:"why,omitempty" doc:"why"`
	By        string    `json:"by,omitempty" doc:"the person; absent: Waybill itself"`
	Source    string    `json:"source" doc:"where it came from: decide, github, api, or the pull request of a command"`
	Command   string    `json:"command,omitempty" doc:"a command as people write it, with its reason"`
	Outcome   string    `json:"outcome,omitempty" doc:"of a command: done, already or refused"`
	Text      string    `json:"text,omitempty" doc:"more"`
}

// Notice is an event as it is sent to the receiver of the server's events.
type Notice struct {
	Repo string `json:"repo" doc:"the home repository of the pipeline"`
	Event
}

// NoticeOf is a line of the audit trail of a pipeline as a notice.
func NoticeOf(repo promotion.Repo, e store.Event) Notice { return Notice{string(repo), eventOf(e)} }

const (
	// pollInterval is how often new events are looked up for a listener.
	pollInterval = time.Second
	// stillHere is how often a silent connection is shown to be alive, and its right to be there is checked again.
	stillHere = 15 * time.Second
	// writeTime is how long a listener may take to accept an event.
	writeTime = 20 * time.Second
	// eventsAtOnce bounds how much of the audit trail is read at a time.
	eventsAtOnce = 200
)

// stream is a connection that events are sent over.
type stream struct {
	s    *Server
	c    *call
	w    http.ResponseWriter
	out  *http.ResponseController
	last int64           // the last event that was sent
	gone <-chan struct{} // another listener has the place
}

// events sends the audit trail as it grows, until the listener goes away, may not listen any more, or the server stops.
func (s *Server) events(c *call, w http.ResponseWriter) error {
	one := s.listenerOf(c)
	if err := s.listeners.enter(one); err != nil {
		return err
	}
	defer s.listeners.leave(one)
	last, err := s.startOf(c)
	if err != nil {
		return err
	}
	t := &stream{s: s, c: c, w: w, out: http.NewResponseController(w), last: last, gone: one.gone}
	if err := t.out.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("keep a connection open: %w", err)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // or proxies keep events until there are many
	t.run()
	return nil
}

// startOf returns the line after which the listener wants to hear.
func (s *Server) startOf(c *call) (last int64, err error) {
	text := c.Header.Get("Last-Event-ID")
	if text == "" {
		text = c.URL.Query().Get("after")
	}
	if text != "" {
		last, err = strconv.ParseInt(text, 10, 64)
		if err != nil || last < 0 {
			return 0, badRequest("Last-Event-ID, or after=, must be the number of an event")
		}
		return last, nil
	}
	err = s.view(c.Context(), func(tx *store.Tx) error {
		last, err = tx.Audit.LastEvent(c.row.ID)
		return err
	})
	return last, err
}

// run sends until there is a reason not to. The first bytes go out at once, so that the listener knows it is heard.
func (t *stream) run() {
	look, alive := time.NewTicker(pollInterval), time.NewTicker(stillHere)
	defer look.Stop()
	defer alive.Stop()
	for going := t.send("retry: 2000\n\n") && t.news(); going; {
		select {
		case <-t.c.Context().Done():
			return
		case <-t.gone:
			return
		case <-look.C:
			going = t.news()
		case <-alive.C:
			going = t.allowed() && t.send(": still here\n\n")
		}
	}
}

// allowed asks again whether the listener may be there: tokens are removed, sessions end, rights are lost.
func (t *stream) allowed() bool {
	who, err := t.s.identify(t.c.Request, Read)
	t.c.who = who
	return err == nil && t.s.may(t.c, t.c.row, Read)
}

// news sends the events that have been written since.
func (t *stream) news() bool {
	for {
		var some []store.Event
		err := t.s.view(t.c.Context(), func(tx *store.Tx) (err error) {
			some, err = tx.Audit.Events(t.c.row.ID, t.last, eventsAtOnce)
			return err
		})
		if err != nil {
			return false // the listener comes again, and goes on where it was
		}
		for _, e := range some {
			if !t.sendEvent(e) {
				return false
			}
		}
		if len(some) < eventsAtOnce {
			return true
		}
	}
}

func (t *stream) sendEvent(e store.Event) bool {
	text, err := json.Marshal(eventOf(e))
	if err != nil {
		return false
	}
	t.last = e.Seq
	return t.send(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Kind, text))
}

// send sends text now, and reports whether the listener is still there.
func (t *stream) send(text string) bool {
	if t.out.SetWriteDeadline(time.Now().Add(writeTime)) != nil {
		return false
	}
	_, err := t.w.Write([]byte(text))
	return err == nil && t.out.Flush() == nil
}

func eventOf(e store.Event) Event {
	answer := Event{
		Seq: e.Seq, At: e.At.UTC(), Kind: string(e.Kind), Word: e.Word, Stage: string(e.Stage), Promotion: int64(e.Promotion),
		SHA: string(e.SHA), By: person(e.By), Source: e.Source, Outcome: e.Outcome, Text: e.Text,
	}
	if !e.Reason.IsZero() {
		answer.Why = new(because(e.Reason))
	}
	if c, is := e.Command(); is {
		answer.Command = command.Write(c)
		if c.Text != "" {
			answer.Command += ` --because "` + c.Text + `"`
		}
	}
	return answer
}
