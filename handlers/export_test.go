package handlers

import (
	"net"
	"net/http"
	"net/netip"
)

// First returns the first event of one type in a delivery, or nil.
func First[E any](t Told) *E {
	for _, e := range t.Events {
		if one, is := e.(*E); is {
			return one
		}
	}
	return nil
}

// All returns all events of one type in a delivery, in order.
func All[E any](t Told) []E {
	var all []E
	for _, e := range t.Events {
		if one, is := e.(*E); is {
			all = append(all, *one)
		}
	}
	return all
}

// IsIdle reports whether a delivery is idle for an App.
func IsIdle(us int64, event string, body []byte) bool {
	e, err := readEnvelope(event, body)
	return err == nil && e.idle(event, us)
}

// Held is how much of bodies a webhook holds in memory.
func Held(h http.Handler) int64 {
	r := &h.(*hook).room
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held
}

// Most sets how many connections there may be.
func Most(c *Connections, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.most = most
}

// Open is how many connections there are.
func Open(c *Connections) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}

// OpenAmong is how many of some connections are open.
func OpenAmong(c *Connections, some []net.Conn) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range some {
		if c.open[conn] != nil {
			n++
		}
	}
	return n
}

// Senders is how many senders have connections.
func Senders(c *Connections) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.senders)
}

// OpenOf is how many connections of a sender there are.
func OpenOf(c *Connections, network netip.Prefix) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.senders[network]; s != nil {
		return s.open
	}
	return 0
}

// GlanceOf returns for whom a delivery can be of interest, for an App.
func GlanceOf(us int64, event string, body []byte) Glance {
	e, err := readEnvelope(event, body)
	if err != nil {
		return Glance{}
	}
	return e.glance(event, us)
}
