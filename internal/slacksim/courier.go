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
	"slices"
	"strconv"
	"sync"
	"time"
)

// Ack is the App's acknowledgement of one attempt to deliver an event.
type Ack struct {
	Kind   string // slash_commands, interactive or events_api
	ID     string // of the event: the same for every attempt
	Retry  int    // 0: the first attempt
	Status int    // of HTTP; 200 for one by Socket Mode
	Body   string
	Took   time.Duration // by the wall clock
	Err    error         // no answer, or not in time
}

// OK reports whether Slack accepts the acknowledgement.
func (a Ack) OK() bool { return a.Err == nil && a.Status/100 == 2 }

// dispatch is an event, command or click for the App.
type dispatch struct {
	kind, path, id string
	form           url.Values // sent over HTTP, or
	json           []byte
	payload        []byte // sent by Socket Mode; nil: the form as an object
}

// Courier delivers events, commands and clicks to the App: over HTTP, or by Socket Mode if the App has no address.
type Courier struct {
	secret  string
	clock   func() time.Time
	wire    http.RoundTripper
	ackTime time.Duration
	retries []time.Duration
	serial  func() int // numbers the envelopes of Socket Mode

	stop     chan struct{}
	retrying sync.WaitGroup

	mu         sync.Mutex // guards the fields below
	requestURL string
	sockets    []*socket
	acks       []Ack
	told       []dispatch
}

// close drops events that wait for another attempt, and closes every websocket.
func (c *Courier) close() {
	close(c.stop)
	c.mu.Lock()
	for _, one := range c.sockets {
		one.conn.Close()
	}
	c.mu.Unlock()
	c.retrying.Wait()
}

// SetRequestURL sets the address of the App: base is followed by /api/slack/commands and so on. While it is empty and a
// websocket is open, everything is sent there.
func (c *Courier) SetRequestURL(base string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requestURL = base
}

// Acks lists the App's acknowledgements of each event, with every attempt.
func (c *Courier) Acks() []Ack {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.acks)
}

// keep delivers an event, and again if it is not acknowledged.
func (c *Courier) keep(ctx context.Context, d dispatch) Ack {
	ack := c.deliver(ctx, d)
	if !ack.OK() {
		c.retrying.Go(func() { c.redeliver(d) })
	}
	return ack
}

// deliver makes one attempt.
func (c *Courier) deliver(ctx context.Context, d dispatch) Ack { return c.try(ctx, d, 0) }

// Again delivers an event, command or click once more, as Slack does if an answer was lost. The headers have the number
// of the retry.
func (c *Courier) Again(ctx context.Context, id string, retry int) (Ack, bool) {
	c.mu.Lock()
	d, known := c.sent(id)
	c.mu.Unlock()
	if !known {
		return Ack{}, false
	}
	return c.try(ctx, d, retry), true
}

// redeliver tries to deliver an event until it is acknowledged or Slack gives up.
func (c *Courier) redeliver(d dispatch) {
	for i, wait := range c.retries {
		select {
		case <-time.After(wait):
		case <-c.stop:
			return
		}
		if ack := c.try(context.Background(), d, i+1); ack.OK() {
			return
		}
	}
}

// try delivers over HTTP, or by Socket Mode if the App has no address.
func (c *Courier) try(ctx context.Context, d dispatch, retry int) Ack {
	c.mu.Lock()
	base := c.requestURL
	c.remember(d)
	c.mu.Unlock()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, c.ackTime)
	defer cancel()
	ack := Ack{Kind: d.kind, ID: d.id, Retry: retry}
	if base == "" {
		ack.Err = c.pushed(ctx, d, retry)
		if ack.Err == nil {
			ack.Status = http.StatusOK
		}
	} else {
		ack.Status, ack.Body, ack.Err = c.post(ctx, base, d, retry)
	}
	ack.Took = time.Since(begun)
	c.mu.Lock()
	c.acks = append(c.acks, ack)
	c.mu.Unlock()
	return ack
}

// post sends a signed request.
func (c *Courier) post(ctx context.Context, base string, d dispatch, retry int) (int, string, error) {
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
	Sign(r, c.secret, c.clock(), body)
	answer, err := (&http.Client{Transport: c.wire}).Do(r)
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

// object returns the form as an object, for Socket Mode.
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
		panic(err) // strings can always be encoded
	}
	return text
}

// keptSent bounds the events that can be sent again.
const keptSent = 1000

// remember keeps an event after it was sent, so that it can be sent again.
func (c *Courier) remember(d dispatch) {
	if _, known := c.sent(d.id); known {
		return
	}
	c.told = append(c.told, d)
	if len(c.told) > keptSent {
		c.told = c.told[1:]
	}
}

// sent returns a remembered event.
func (c *Courier) sent(id string) (dispatch, bool) {
	for _, d := range c.told {
		if d.id == id {
			return d, true
		}
	}
	return dispatch{}, false
}
