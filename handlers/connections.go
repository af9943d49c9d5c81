package handlers

import (
	"container/list"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
)

// maxConnections is how many connections are open at once.
const maxConnections = 4096

// Connections bounds the open connections of a server, so that whoever opens connections and sends nothing shuts nobody
// out. Where there are too many, a new connection is let in, and the one is closed that has kept the server waiting the
// longest; the new one itself only if no other does. A connection keeps the server waiting from its beginning, or from
// the end of its last request, until all of its next request has come; that of a route which Arrived is not about,
// until it is closed.
type Connections struct {
	addresses Addresses
	each      int // of one sender
	most      int // of all

	mu      sync.Mutex
	open    map[net.Conn]*connection
	waiting list.List // of *connection: the longest first
	senders map[netip.Prefix]*sender
}

// sender is one network.
type sender struct {
	open    int
	waiting list.List // its own, the longest first
}

// connection is one that is open.
type connection struct {
	net.Conn
	all           *Connections
	from          *sender // nil: nobody in particular
	network       netip.Prefix
	place, inTurn *list.Element // in both lists of those who keep the server waiting; nil: it does not
}

// NewConnections returns a bound of each connections for one sender's address. Peers whose address says nothing have no
// bound of their own, see Addresses.
func NewConnections(a Addresses, each int) *Connections {
	c := &Connections{
		addresses: a, each: each, most: maxConnections, open: map[net.Conn]*connection{}, senders: map[netip.Prefix]*sender{},
	}
	// The database and GitHub need files, too. Go has raised the soft limit as far as it may.
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) == nil && uint64(files.Cur) < 2*maxConnections {
		c.most = max(int(files.Cur)/2, 1)
	}
	return c
}

type connectionKey struct{}

// Bound makes the bound hold for a server.
func (c *Connections) Bound(server *http.Server) {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, c.enter(conn))
	}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		switch state {
		case http.StateIdle:
			c.idle(conn)
		case http.StateClosed, http.StateHijacked:
			c.leave(conn)
		}
	}
}

// enter lets a connection in, and closes another one for it if there are too many.
func (c *Connections) enter(conn net.Conn) *connection {
	one := &connection{Conn: conn, all: c}
	if peer := peerOf(conn.RemoteAddr().String()); !c.addresses.isProxy(peer) {
		one.network = Network(single(peer))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.network.IsValid() {
		if one.from = c.senders[one.network]; one.from == nil {
			one.from = &sender{}
			c.senders[one.network] = one.from
		}
		one.from.open++
	}
	c.open[conn] = one
	one.wait()
	if one.from != nil && one.from.open > c.each {
		c.close(one.from.waiting.Front())
	}
	if len(c.open) > c.most {
		c.close(c.waiting.Front())
	}
	return one
}

// close closes the connection of an element of a list. There is one: the newest connection waits, too.
func (c *Connections) close(e *list.Element) {
	one := e.Value.(*connection)
	c.forget(one)
	_ = one.Close() // its request ends with an error
}

func (c *Connections) idle(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.open[conn]; one != nil {
		one.wait()
	}
}

func (c *Connections) leave(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.open[conn]; one != nil {
		c.forget(one)
	}
}

func (c *Connections) forget(one *connection) {
	one.arrived()
	delete(c.open, one.Conn)
	if one.from != nil {
		if one.from.open--; one.from.open == 0 {
			delete(c.senders, one.network)
		}
	}
}

// wait puts a connection behind all others that keep the server waiting.
func (one *connection) wait() {
	if one.place != nil {
		return
	}
	one.place = one.all.waiting.PushBack(one)
	if one.from != nil {
		one.inTurn = one.from.waiting.PushBack(one)
	}
}

// arrived says that the server waits for the connection no more.
func (one *connection) arrived() {
	if one.place == nil {
		return
	}
	one.all.waiting.Remove(one.place)
	if one.from != nil {
		one.from.waiting.Remove(one.inTurn)
	}
	one.place, one.inTurn = nil, nil
}

// Arrived says of a handler that its connections are kept from when a request has come with all of its body until it
// has been answered.
func Arrived(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one, _ := r.Context().Value(connectionKey{}).(*connection)
		switch {
		case one == nil: // nobody bounds them
		case r.ContentLength == 0:
			one.has()
		default:
			r.Body = &arrivingBody{r.Body, one}
		}
		next.ServeHTTP(w, r)
	})
}

// has notes that all of a request has come, unless the connection has been closed.
func (one *connection) has() {
	one.all.mu.Lock()
	defer one.all.mu.Unlock()
	if one.all.open[one.Conn] == one {
		one.arrived()
	}
}

// arrivingBody is the body of a request, which tells when all of it has come.
type arrivingBody struct {
	io.ReadCloser
	on *connection
}

// Read implements io.Reader.
func (b *arrivingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.on.has()
	}
	return n, err
}
