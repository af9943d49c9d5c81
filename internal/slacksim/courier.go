package slacksim

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Ack is how the App acknowledged one try to tell it something.
type Ack struct {
	Kind   string // slash_commands, interactive or events_api
	ID     string // of the event: every try has the same
	Retry  int    // 0: the first try
	Status int    // of HTTP; 200 for one by Socket Mode
	Body   string
	Took   time.Duration // by the wall clock
	Err    error         // no answer, or not in time
}

// OK reports whether Slack is satisfied.
func (a Ack) OK() bool { return a.Err == nil && a.Status/100 == 2 }

// dispatch is something that the App is to be told.
type dispatch struct {
	kind, path, id string
	form           url.Values // sent over HTTP, or
	json           []byte
	payload        []byte // sent by Socket Mode; nil: the form as an object
}

// deliver tells the App, once.
func (s *Server) deliver(ctx context.Context, d dispatch) Ack { return s.try(ctx, d, 0) }

// Again tells the App an event, command or click once more, as Slack does when an answer was lost; with the number of
// the retry in the headers.
func (s *Server) Again(ctx context.Context, id string, retry int) (Ack, bool) {
	s.mu.Lock()
	d, known := s.world.sent(id)
	s.mu.Unlock()
	if !known {
		return Ack{}, false
	}
	return s.try(ctx, d, retry), true
}

// again tries to deliver an event until it is acknowledged or Slack gives up.
func (s *Server) again(d dispatch) {
	for i, wait := range s.options.Retries {
		select {
		case <-time.After(wait):
		case <-s.stop:
			return
		}
		if ack := s.try(context.Background(), d, i+1); ack.OK() {
			return
		}
	}
}

// try tells the App over HTTP, or by Socket Mode where no address is known.
func (s *Server) try(ctx context.Context, d dispatch, retry int) Ack {
	s.mu.Lock()
	base := s.world.requestURL
	s.world.remember(d)
	s.mu.Unlock()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.options.AckTime)
	defer cancel()
	ack := Ack{Kind: d.kind, ID: d.id, Retry: retry}
	if base == "" {
		ack.Err = s.pushed(ctx, d, retry)
		if ack.Err == nil {
			ack.Status = http.StatusOK
		}
	} else {
		ack.Status, ack.Body, ack.Err = s.post(ctx, base, d, retry)
	}
	ack.Took = time.Since(begun)
	s.mu.Lock()
	s.world.acks = append(s.world.acks, ack)
	s.mu.Unlock()
	return ack
}

// post sends a signed request.
func (s *Server) post(ctx context.Context, base string, d dispatch, retry int) (int, string, error) {
	body, media := d.json, "application/json"
	if d.form != nil {
		body, media = []byte(d.form.Encode()), "application/x-www-form-urlencoded"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+d.path, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", media)
	if retry > 0 {
		r.Header.Set("X-Slack-Retry-Num", strconv.Itoa(retry))
		r.Header.Set("X-Slack-Retry-Reason", "http_timeout")
	}
	Sign(r, s.options.SigningSecret, s.options.Clock(), body)
	answer, err := (&http.Client{Transport: s.options.Wire}).Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxCall))
	return answer.StatusCode, string(text), err
}

// Sign signs a request as Slack does.
func Sign(r *http.Request, secret string, at time.Time, body []byte) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "v0:%s:%s", stamp, body)
	r.Header.Set("X-Slack-Request-Timestamp", stamp)
	r.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
}

// object is the form as an object, as Socket Mode carries it.
func (d dispatch) object() json.RawMessage {
	if d.payload != nil {
		return d.payload
	}
	flat := map[string]string{}
	for name := range d.form {
		flat[name] = d.form.Get(name)
	}
	text, err := json.Marshal(flat)
	if err != nil {
		panic(err) // strings can be written down
	}
	return text
}
