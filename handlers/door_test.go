package handlers_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
)

// door is a server with the doors for webhooks and for Slack, on a real listener.
type door struct {
	testing.TB
	address string
	from    *elsewhere
	bound   *handlers.Connections
	in      *inbox
	guid    atomic.Int64
	client  *http.Client
}

// elsewhere is a listener whose connections seem to come from an address.
type elsewhere struct {
	net.Listener
	address atomic.Pointer[net.TCPAddr] // nil: from where they come

	mu       sync.Mutex
	accepted []net.Conn
}

type seeming struct {
	net.Conn
	remote net.Addr
}

func (s *seeming) RemoteAddr() net.Addr { return s.remote }

// Accept implements net.Listener.
func (e *elsewhere) Accept() (net.Conn, error) {
	conn, err := e.Listener.Accept()
	if address := e.address.Load(); err == nil && address != nil {
		conn = &seeming{conn, address}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.accepted = append(e.accepted, conn)
	return conn, err
}

// since returns the connections that were accepted after a number of others.
func (e *elsewhere) since(n int) []net.Conn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.accepted[n:])
}

// seem has connections that are accepted from now on come from an address; "": from where they come.
func (e *elsewhere) seem(address string) {
	if address == "" {
		e.address.Store(nil)
		return
	}
	e.address.Store(net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 4711)))
}

func openDoor(t testing.TB, each int, a handlers.Addresses) *door {
	in := newInbox()
	hook, err := handlers.GitHub(handlers.Options{Secret: secret, Inbox: in})
	require.NoError(t, err)
	chat, err := handlers.Slack(handlers.SlackOptions{SigningSecret: signing, Inbox: in})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/api/github/hook", handlers.Arrived(hook))
	mux.Handle("/api/slack/", handlers.Arrived(chat))
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	d := &door{
		TB: t, address: listener.Addr().String(), from: &elsewhere{Listener: listener}, in: in,
		bound:  handlers.NewConnections(a, each),
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute}
	d.bound.Bound(server)
	go func() { _ = server.Serve(d.from) }()
	t.Cleanup(func() { _ = server.Close() })
	return d
}

// knock opens a connection and sends what somebody says who says no more, or no more than a byte now and then.
func (d *door) knock(says string) net.Conn {
	conn, err := net.Dial("tcp", d.address)
	require.NoError(d, err)
	d.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, says)
	require.NoError(d, err)
	return conn
}

// webhook posts a signed webhook and returns the status of the answer.
func (d *door) webhook() int {
	body := push
	request, err := http.NewRequest(http.MethodPost, "http://"+d.address+"/api/github/hook", strings.NewReader(body))
	require.NoError(d, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-GitHub-Event", "push")
	request.Header.Set("X-GitHub-Delivery", fmt.Sprint("guid-", d.guid.Add(1)))
	request.Header.Set("X-Hub-Signature-256", sign(secret, body))
	return d.do(request)
}

// command posts a signed slash command and returns the status of the answer.
func (d *door) command() int {
	body, stamp := typed("hold prod", fmt.Sprint(d.guid.Add(1))), strconv.FormatInt(time.Now().Unix(), 10)
	request, err := http.NewRequest(http.MethodPost, "http://"+d.address+handlers.SlackCommandsPath,
		strings.NewReader(body))
	require.NoError(d, err)
	request.Header.Set("X-Slack-Request-Timestamp", stamp)
	request.Header.Set("X-Slack-Signature", slackSign(signing, stamp, body))
	return d.do(request)
}

func (d *door) do(request *http.Request) int {
	response, err := d.client.Do(request)
	require.NoError(d, err)
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(d, err)
	return response.StatusCode
}

// open has the door prove that it is open to GitHub and to Slack.
func (d *door) open() {
	d.Helper()
	for range 5 {
		require.Equal(d, http.StatusAccepted, d.webhook())
		require.Equal(d, http.StatusOK, d.command())
	}
}

// hookHead is the head of a webhook that seems to be signed.
func hookHead(more string) string {
	return "POST /api/github/hook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-GitHub-Event: push\r\n" +
		"X-GitHub-Delivery: g\r\nX-Hub-Signature-256: sha256=" + strings.Repeat("0", 64) + "\r\n" + more + "\r\n"
}

// slackHead is the head of a slash command that seems to be signed of late.
func slackHead() string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nX-Slack-Request-Timestamp: %d\r\n"+
		"X-Slack-Signature: v0=%s\r\n\r\n", handlers.SlackCommandsPath, time.Now().Unix(), strings.Repeat("0", 64))
}

// idle are ways of keeping a connection busy without ending a request.
func idle() map[string]string {
	return map[string]string{
		"nothing":     "",
		"half a line": "POST /api/gi",
		"huge headers without an end": "POST /api/github/hook HTTP/1.1\r\nHost: x\r\nX-Long: " +
			strings.Repeat("x", 30<<10),
		"a webhook's head":               hookHead("Content-Length: 1000\r\n"),
		"a webhook's head, and a byte":   hookHead("Content-Length: 26214400\r\n") + "{",
		"a chunked webhook":              hookHead("Transfer-Encoding: chunked\r\n") + "1\r\n{\r\n1\r\n",
		"a webhook that waits to be let": hookHead("Content-Length: 1000\r\nExpect: 100-continue\r\n"),
		"a slash command's head":         slackHead(),
		"a request that was answered":    "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
		"a HEAD and no more":             "HEAD /api/github/hook HTTP/1.1\r\nHost: x\r\n\r\n",
		"HTTP/2 by those who know of it": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"an upgrade to HTTP/2": "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\n" +
			"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
		"a refused webhook with its body": hookHead("Content-Length: 30000000\r\n"),
	}
}

func TestTwoThousandConnectionsThatEndNoRequestShutNoDoor(t *testing.T) {
	d := openDoor(t, 100, handlers.Addresses{})
	for n := 0; n < 2000; {
		for _, says := range idle() {
			d.knock(says)
			n++
		}
	}
	d.open()
}

func TestEachWayToKeepConnectionsBusyShutsNoDoor(t *testing.T) {
	for way, says := range idle() {
		t.Run(way, func(t *testing.T) {
			d := openDoor(t, 100, handlers.Addresses{})
			for range 300 { // more than are taken in at once
				d.knock(says)
			}
			d.open()
		})
	}
}

// TestABodyThatComesByteByByteIsTakenInLikeAnyOther has a valid signature and a slow sender among others that never
// end.
func TestABodyThatComesByteByByteIsTakenInLikeAnyOther(t *testing.T) {
	d := openDoor(t, 100, handlers.Addresses{})
	for range 300 {
		d.knock(hookHead("Transfer-Encoding: chunked\r\n") + "1\r\n{\r\n")
	}
	head := strings.Replace(hookHead("Transfer-Encoding: chunked\r\n"), "sha256="+strings.Repeat("0", 64),
		sign(secret, push), 1)
	conn := d.knock(head)
	for _, b := range []byte(push) {
		_, err := fmt.Fprintf(conn, "1\r\n%c\r\n", b)
		require.NoError(t, err)
	}
	_, err := io.WriteString(conn, "0\r\n\r\n")
	require.NoError(t, err)
	answer := make([]byte, 12)
	_, err = io.ReadFull(conn, answer)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 202", string(answer))
}

func TestABodyThatDoesNotComeInTimeEndsItsRequestOnly(t *testing.T) {
	t.Parallel() // it takes the five seconds
	d := openDoor(t, 100, handlers.Addresses{})
	conn := d.knock(slackHead())
	d.open()
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(answer), "HTTP/1.1 408")
	require.Contains(t, string(answer), "Connection: close")
	d.open()
}

func TestTheConnectionThatHasWaitedTheLongestIsClosedForANewOne(t *testing.T) {
	d := openDoor(t, 100, handlers.Addresses{})
	handlers.Most(d.bound, 50)
	first := d.knock(hookHead("Content-Length: 1000\r\n") + "{")
	for range 200 {
		d.knock(hookHead("Content-Length: 1000\r\n") + "{")
	}
	d.open()
	_, err := io.ReadAll(first)
	if err != nil {
		require.ErrorIs(t, err, syscall.ECONNRESET) // or the end: it is closed
	}
	open := handlers.Open(d.bound)
	require.LessOrEqual(t, open, 50)
	require.GreaterOrEqual(t, open, 40, "the others go on")
}

// TestOneAddressHasItsShareOfTheConnections has one address open as many connections as it can, then another one, then
// the proxy of everybody. There is always room for one that ends its request.
func TestOneAddressHasItsShareOfTheConnections(t *testing.T) {
	d := openDoor(t, 10, handlers.Addresses{Proxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}})
	knocks := func(from string, n int) (open int) {
		before := len(d.from.since(0))
		d.from.seem(from)
		for range n {
			d.knock("POST /")
		}
		require.Equal(t, http.StatusAccepted, d.webhook())       // it is accepted behind them
		return handlers.OpenAmong(d.bound, d.from.since(before)) // the webhook's own may be one of them
	}
	one := netip.MustParsePrefix("203.0.113.9/32")
	knocks("203.0.113.9", 40)
	require.LessOrEqual(t, handlers.OpenOf(d.bound, one), 10)
	require.GreaterOrEqual(t, handlers.OpenOf(d.bound, one), 8)
	knocks("198.51.100.1", 5)
	require.GreaterOrEqual(t, handlers.OpenOf(d.bound, one), 8, "another one takes nothing from it")
	require.GreaterOrEqual(t, knocks("192.0.2.1", 40), 40, "a proxy that is trusted has no share")
	require.GreaterOrEqual(t, knocks("10.1.2.3", 40), 40, "neither has one in a private network")
	require.GreaterOrEqual(t, knocks("", 40), 40, "nor one on the same machine")
	for i := range 40 {
		knocks(fmt.Sprintf("2001:db8:1:2::%d", i+1), 1)
	}
	require.LessOrEqual(t, handlers.OpenOf(d.bound, netip.MustParsePrefix("2001:db8:1:2::/64")), 10,
		"an IPv6 network is one sender")
}

// TestSendersThatHaveLeftAreForgotten has many addresses come and go.
func TestSendersThatHaveLeftAreForgotten(t *testing.T) {
	d := openDoor(t, 10, handlers.Addresses{})
	for i := range 50 {
		d.from.seem(fmt.Sprintf("203.0.113.%d", i+1))
		require.Equal(t, http.StatusAccepted, d.webhook())
		require.NoError(t, d.knock("POST").Close())
	}
	require.Eventually(t, func() bool { return handlers.Senders(d.bound) == 0 && handlers.Open(d.bound) == 0 },
		time.Minute, time.Millisecond)
}

func TestWhereARequestComesFrom(t *testing.T) {
	a := handlers.Addresses{Proxies: []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48"),
	}}
	for _, row := range []struct{ claim, peer, forwarded, want string }{
		{"a peer that is no proxy", "203.0.113.9:1", "", "203.0.113.9"},
		{"what a stranger says of others is not believed", "203.0.113.9:1", "198.51.100.1", "203.0.113.9"},
		{"a proxy says from where", "10.0.0.1:1", "198.51.100.1", "198.51.100.1"},
		{"what was said to the proxy is not believed", "10.0.0.1:1", "1.2.3.4, 198.51.100.1", "198.51.100.1"},
		{"a chain of proxies", "10.0.0.1:1", "1.2.3.4, 198.51.100.1, 10.2.3.4,2001:db8:ffff::1", "198.51.100.1"},
		{"a proxy that says nothing", "10.0.0.1:1", "", ""},
		{"a proxy that says nonsense", "10.0.0.1:1", "198.51.100.1, unknown", ""},
		{"only proxies", "10.0.0.1:1", "10.0.0.2", ""},
		{"a proxy that nobody has named", "192.168.0.1:1", "198.51.100.1", ""},
		{"behind a named one", "10.0.0.1:1", "198.51.100.1, 192.168.0.1", ""},
		{"this machine", "127.0.0.1:1", "198.51.100.1", ""},
		{"a cluster's network", "100.64.3.4:1", "", ""},
		{"IPv4 in IPv6", "[::ffff:203.0.113.9]:1", "", "203.0.113.9"},
		{"no address", "@", "", ""},
	} {
		r, err := http.NewRequest(http.MethodPost, "/", bytes.NewReader(nil))
		require.NoError(t, err)
		r.RemoteAddr = row.peer
		if row.forwarded != "" {
			r.Header.Set("X-Forwarded-For", row.forwarded)
		}
		got := a.Of(r)
		if row.want == "" {
			require.False(t, got.IsValid(), row.claim)
			continue
		}
		require.Equal(t, row.want, got.String(), row.claim)
	}
}

// BenchmarkAWebhookBesideTwoThousandIdleConnections prints how long signed requests take.
func BenchmarkAWebhookBesideTwoThousandIdleConnections(b *testing.B) {
	d := openDoor(b, 100, handlers.Addresses{})
	for i := range 2000 {
		if i%2 == 0 {
			d.knock(hookHead("Content-Length: 1000\r\n") + "{")
		} else {
			d.knock(slackHead())
		}
	}
	var longest time.Duration
	for b.Loop() {
		begun := time.Now()
		require.Equal(b, http.StatusAccepted, d.webhook())
		longest = max(longest, time.Since(begun))
	}
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-at-most")
}
