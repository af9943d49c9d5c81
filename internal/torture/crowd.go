package torture

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"waybill/handlers"
	"waybill/internal/torture/act"
	"waybill/internal/torture/ledger"
	"waybill/internal/wireless"
)

// crowd is a number of clients who begin requests at the door of the program, and end them late or never. Each seems to
// be signed, because others are refused before anything of their bodies is read.
type crowd struct {
	clients int
	size    int           // the bytes that each sends at once
	every   time.Duration // between further bytes; 0: none follow
	more    int           // further bytes, after which the body ends
	slack   bool          // at the door for Slack
}

// crowds are more clients than are taken in at once, and larger bodies than there is memory for.
var crowds = []crowd{
	{clients: 300},
	{clients: 300, size: 1},
	{clients: 40, size: 1, every: time.Second, more: 6},
	{clients: 40, size: 100, every: time.Second, more: 60},
	{clients: 300, slack: true},
	{clients: 100, size: 1 << 20, slack: true},
	{clients: 4, size: 16<<20 - 1},
	{clients: 1100, size: 64 << 10},
}

// Crowd has slow clients come, who hold the door until their time is over, or the process dies.
func (s *Schedule) Crowd(pick int) (what string) {
	c := crowds[pick%len(crowds)]
	c.slack = c.slack && s.chat != nil
	for range c.clients {
		client := &slowClient{left: c.size, every: c.every, more: c.more, turned: make(chan struct{}),
			process: s.machine.program.ctx}
		request, err := c.request(client, s.clock.Now())
		if err != nil {
			return err.Error()
		}
		go client.send(s.machine.program.service.Handler(), request)
	}
	synctest.Wait() // until each has sent what it sends at once
	return fmt.Sprintf("%+v", c)
}

// request returns the request of a client.
func (c crowd) request(body io.Reader, now time.Time) (*http.Request, error) {
	path := "/api/github/hook"
	if c.slack {
		path = handlers.SlackCommandsPath
	}
	r, err := http.NewRequest(http.MethodPost, act.PublicURL+path, body)
	if err != nil {
		return nil, err
	}
	r.ContentLength = int64(c.size + 1000)
	r.RequestURI = r.URL.RequestURI()
	for name, value := range map[string]string{
		"Content-Type": "application/json", "X-GitHub-Event": "push", "X-GitHub-Delivery": "slow",
		"X-Hub-Signature-256":       "sha256=" + strings.Repeat("0", 64),
		"X-Slack-Request-Timestamp": strconv.FormatInt(now.Unix(), 10),
		"X-Slack-Signature":         "v0=" + strings.Repeat("0", 64),
	} {
		r.Header.Set(name, value)
	}
	return r, nil
}

// slowClient is a connection of somebody who sends a body slowly. It keeps the deadline that the program sets for
// reading, as a connection of net/http does.
type slowClient struct {
	wireless.Buffer
	left    int
	every   time.Duration
	more    int
	process context.Context

	mu       sync.Mutex
	deadline time.Time     // zero: none
	turned   chan struct{} // closed when the deadline is set
}

// send sends the request. Nobody reads the answer.
func (c *slowClient) send(to http.Handler, r *http.Request) {
	to.ServeHTTP(c, r.WithContext(c.process))
}

// SetReadDeadline is called by http.ResponseController.
func (c *slowClient) SetReadDeadline(at time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = at
	close(c.turned)
	c.turned = make(chan struct{})
	return nil
}

// Read implements io.Reader.
func (c *slowClient) Read(p []byte) (int, error) {
	if n := min(len(p), c.left); n > 0 {
		c.left -= n
		return n, nil
	}
	var next <-chan time.Time
	switch {
	case c.every > 0 && c.more == 0:
		return 0, io.EOF
	case c.every > 0:
		next = time.After(c.every)
	}
	for {
		c.mu.Lock()
		deadline, turned := c.deadline, c.turned
		c.mu.Unlock()
		var late <-chan time.Time
		if !deadline.IsZero() {
			late = time.After(time.Until(deadline))
		}
		select {
		case <-c.process.Done():
			return 0, io.ErrUnexpectedEOF
		case <-late:
			return 0, os.ErrDeadlineExceeded
		case <-next:
			c.more--
			return min(len(p), 1), nil
		case <-turned:
		}
	}
}

// taken checks that a signed request was taken in, whoever else holds the door, unless the process has died.
func (m *Machine) taken(what string, status int, in bool) {
	if !in && m.program != nil && m.program.ctx.Err() == nil {
		m.log.Broken(ledger.IsTakenIn, "%s: %d", what, status)
	}
}
