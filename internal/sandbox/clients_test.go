package sandbox

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// anyGUID is replaced before a request is sent.
const anyGUID = "00000000-0000-0000-0000-000000000000"

// clients post signed deliveries over connections of their own to one server, and count.
type clients struct {
	b       *testing.B
	all     []*client
	request []byte // with space for its GUID
	guid    int    // offset of its GUID
	posted  int    // since the start, to make GUIDs
	counted int    // since counting began
	took    time.Duration
}

func newClients(b *testing.B, address string, connections int, request []byte) *clients {
	c := &clients{b: b, request: request, guid: strings.Index(string(request), anyGUID)}
	for range connections {
		conn, err := net.Dial("tcp", address)
		require.NoError(b, err)
		b.Cleanup(func() { _ = conn.Close() })
		c.all = append(c.all, &client{conn: conn, answers: bufio.NewReader(conn)})
	}
	return c
}

// round has every client post its deliveries, each with a GUID of its own.
func (c *clients) round(each int) {
	var all sync.WaitGroup
	start := time.Now()
	for i, one := range c.all {
		first := c.posted + i*each
		all.Go(func() {
			request := slices.Clone(c.request)
			for n := range each {
				copy(request[c.guid:], fmt.Sprintf("%0*d", len(anyGUID), first+n))
				if err := one.post(request); err != nil {
					c.b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	c.took += time.Since(start)
	c.posted += len(c.all) * each
	c.counted += len(c.all) * each
}

// forget begins to count anew.
func (c *clients) forget() { c.counted, c.took = 0, 0 }

// rate returns the number of deliveries acknowledged in a second.
func (c *clients) rate() float64 { return float64(c.counted) / c.took.Seconds() }

// client is a connection that posts one request after the other.
type client struct {
	conn    net.Conn
	answers *bufio.Reader
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
