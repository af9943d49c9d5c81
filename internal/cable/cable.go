// Package cable connects a program under test with a server, and can be cut.
package cable

import (
	"bytes"
	"net"
	"sync"
	"testing"
)

// Cable carries bytes between programs that connect to Address and a server.
type Cable struct {
	Address string // of a port on this machine

	listen  net.Listener
	network string // with server as net.Dial takes them
	server  string

	mu      sync.Mutex
	broken  bool
	ends    map[net.Conn]bool
	word    []byte            // the cable is cut once when it is to carry this
	carried bool              // after it has arrived and before it is answered
	mute    map[net.Conn]bool // servers whose next answer goes nowhere
}

// New returns a cable to a server, whose network and address are as net.Dial takes them. It ends with the test.
func New(t testing.TB, network, server string) *Cable {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cable{
		Address: listen.Addr().String(), listen: listen, network: network, server: server, ends: map[net.Conn]bool{},
		mute: map[net.Conn]bool{},
	}
	t.Cleanup(func() {
		_ = listen.Close()
		c.Down()
	})
	go c.run()
	return c
}

func (c *Cable) run() {
	for {
		near, err := c.listen.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial(c.network, c.server)
		if err != nil || !c.joined(near, far) {
			_ = near.Close()
			if far != nil {
				_ = far.Close()
			}
			continue
		}
		go c.carry(far, near, false)
		go c.carry(near, far, true)
	}
}

// joined notes a connection; it reports whether the cable is up.
func (c *Cable) joined(ends ...net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, end := range ends {
		c.ends[end] = true
	}
	return !c.broken
}

// carry carries bytes one way: forth to the server, or back.
func (c *Cable) carry(from, to net.Conn, forth bool) {
	defer c.part(from, to)
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if forth && c.cuts(buffer[:n], to) || !forth && c.muted(from) {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// part ends a connection.
func (c *Cable) part(ends ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, end := range ends {
		_ = end.Close()
		delete(c.ends, end)
		delete(c.mute, end)
	}
}

// cuts reports whether the cable is cut before these bytes, because they have the word. Where the word is to arrive
// first, the answer of the server is what gets lost.
func (c *Cable) cuts(b []byte, server net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.word) == 0 || !bytes.Contains(b, c.word) {
		return false
	}
	c.word, c.mute[server] = nil, c.carried
	return !c.carried
}

// muted reports whether what a server says goes nowhere.
func (c *Cable) muted(server net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mute[server]
}

// CutAt has the connection cut that carries a word next, after the word has arrived or before.
func (c *Cable) CutAt(word string, carried bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.word, c.carried = []byte(word), carried
}

// Down cuts the cable until it is up again.
func (c *Cable) Down() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = true
	for end := range c.ends {
		_ = end.Close()
		delete(c.ends, end)
	}
}

// Up lets the cable carry bytes again.
func (c *Cable) Up() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = false
}
