package store_test

import (
	"bytes"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// cable carries bytes between a store and a server, and can be cut.
type cable struct {
	url    string // of the database, through the cable
	listen net.Listener
	server string // the server's socket

	mu      sync.Mutex
	broken  bool
	ends    map[net.Conn]bool
	word    []byte            // the cable is cut once when it is to carry this
	carried bool              // after it has arrived and before it is answered
	mute    map[net.Conn]bool // servers whose next answer goes nowhere
}

func newCable(t *testing.T, at string) *cable {
	u, err := url.Parse(at)
	require.NoError(t, err)
	q := u.Query()
	l := &cable{server: filepath.Join(q.Get("host"), ".s.PGSQL.5432"), ends: map[net.Conn]bool{},
		mute: map[net.Conn]bool{}}
	l.listen, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = l.listen.Close()
		l.down()
	})
	q.Del("host")
	q.Set("sslmode", "disable")
	u.Host, u.RawQuery = l.listen.Addr().String(), q.Encode()
	l.url = u.String()
	go l.run()
	return l
}

func (l *cable) run() {
	for {
		near, err := l.listen.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("unix", l.server)
		if err != nil || !l.joined(near, far) {
			_ = near.Close()
			if far != nil {
				_ = far.Close()
			}
			continue
		}
		go l.carry(far, near, false)
		go l.carry(near, far, true)
	}
}

// joined notes a connection; it reports whether the cable is up.
func (l *cable) joined(ends ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range ends {
		l.ends[c] = true
	}
	return !l.broken
}

// carry carries bytes one way: forth to the server, or back.
func (l *cable) carry(from, to net.Conn, forth bool) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if forth && l.cuts(buffer[:n], to) || !forth && l.muted(from) {
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

// cuts reports whether the cable is cut before these bytes, because they have the word. Where the word is to arrive
// first, the answer of the server is what gets lost.
func (l *cable) cuts(b []byte, server net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.word) == 0 || !bytes.Contains(b, l.word) {
		return false
	}
	l.word, l.mute[server] = nil, l.carried
	return !l.carried
}

// muted reports whether what a server says goes nowhere.
func (l *cable) muted(server net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mute[server]
}

// cutAt has the connection cut that carries a word next, after the word has arrived or before.
func (l *cable) cutAt(word string, carried bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.word, l.carried = []byte(word), carried
}

// down cuts the cable until it is up again.
func (l *cable) down() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = true
	for c := range l.ends {
		_ = c.Close()
		delete(l.ends, c)
	}
}

// up lets the cable carry bytes again.
func (l *cable) up() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = false
}
