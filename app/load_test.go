package app_test

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// load posts deliveries to servers.
type load struct {
	b       *testing.B
	request []byte // with space for its GUID
	guid    int    // offset of its GUID
}

func newLoad(b *testing.B) *load {
	l := &load{b: b, request: delivery10KB()}
	l.guid = strings.Index(string(l.request), anyGUID)
	return l
}

// of starts a server and connects its clients.
func (l *load) of(handler http.Handler) *target {
	server := httptest.NewServer(handler)
	l.b.Cleanup(server.Close)
	t := &target{load: l}
	for range connections {
		t.clients = append(t.clients, dial(l.b, server))
	}
	return t
}

// target is a server under load, with counters of its work.
type target struct {
	load    *load
	clients []*client
	posted  int           // since the start, to make GUIDs
	counted int           // since counting began
	took    time.Duration // since counting began
}

// round makes every client post its deliveries, each with a GUID of its own.
func (t *target) round() {
	var all sync.WaitGroup
	start := time.Now()
	for i, c := range t.clients {
		first := t.posted + i*each
		all.Go(func() {
			request := slices.Clone(t.load.request)
			for n := range each {
				copy(request[t.load.guid:], fmt.Sprintf("%0*d", len(anyGUID), first+n))
				if err := c.post(request); err != nil {
					t.load.b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	t.took += time.Since(start)
	t.posted += len(t.clients) * each
	t.counted += len(t.clients) * each
}

// rate returns the number of deliveries acknowledged in a second.
func (t *target) rate() float64 { return float64(t.counted) / t.took.Seconds() }

// client is a connection that posts one request after the other.
type client struct {
	conn    net.Conn
	answers *bufio.Reader
}

func dial(b *testing.B, server *httptest.Server) *client {
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(b, err)
	b.Cleanup(func() { _ = conn.Close() })
	return &client{conn: conn, answers: bufio.NewReader(conn)}
}

// post sends a request unchanged, and reads the answer without parsing it into a response.
func (c *client) post(request []byte) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	status, err := c.answers.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(status), "HTTP/1.1 20") {
		return fmt.Errorf("answered %s", status)
	}
	for length := 0; ; {
		line, err := c.answers.ReadSlice('\n')
		if err != nil {
			return err
		}
		if value, is := strings.CutPrefix(string(line), "Content-Length: "); is {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return err
			}
		}
		if len(line) == 2 {
			_, err := c.answers.Discard(length)
			return err
		}
	}
}

// anyGUID is replaced before a request is sent.
const anyGUID = "00000000-0000-0000-0000-000000000000"

// delivery10KB is a signed check_run of 10 KB, the way GitHub sends it.
func delivery10KB() []byte {
	body := `{"action":"completed","check_run":{"id":1,"name":"smoke","output":{"summary":"` +
		strings.Repeat("all is well; ", 300) + `"},"links":[` +
		strings.Repeat(`{"url":"https://api.github.com/repos/acme/deploy/check-runs/1"},`, 90) +
		`{}]},"repository":{"id":1,"full_name":"acme/deploy"},"installation":{"id":1}}`
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return fmt.Appendf(nil,
		"POST /api/github/hook HTTP/1.1\r\nHost: waybill\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
			"X-GitHub-Event: check_run\r\nX-GitHub-Delivery: %s\r\nX-Hub-Signature-256: sha256=%s\r\n\r\n%s",
		len(body), anyGUID, hex.EncodeToString(mac.Sum(nil)), body)
}
