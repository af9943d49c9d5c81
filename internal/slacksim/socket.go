package slacksim

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// socket is one open connection of Socket Mode.
type socket struct {
	conn    *websocket.Conn
	mu      sync.Mutex // guards writes and waiting
	waiting map[string]chan struct{}
}

// socket serves one connection until either side ends it.
func (s *Courier) socket(w http.ResponseWriter, r *http.Request) {
	// Slack checks a ticket, not the origin
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	c := &socket{conn: conn, waiting: map[string]chan struct{}{}}
	defer s.hangUp(c)
	hello := answer{
		"type": "hello", "num_connections": 1, "connection_info": answer{"app_id": AppID},
		"debug_info": answer{"host": "slacksim"},
	}
	if c.write(hello) != nil {
		return
	}
	s.mu.Lock()
	s.sockets = append(s.sockets, c)
	s.mu.Unlock()
	go c.ping(r.Context())
	for {
		var ack struct {
			ID string `json:"envelope_id"`
		}
		if conn.ReadJSON(&ack) != nil {
			return
		}
		c.acknowledged(ack.ID)
	}
}

// ping keeps the connection alive, as Slack does.
func (c *socket) ping(ctx context.Context) {
	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()
	for {
		if c.conn.WriteControl(websocket.PingMessage, []byte("ping"), time.Now().Add(time.Second)) != nil {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (c *socket) write(x any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn.WriteJSON(x)
}

func (c *socket) acknowledged(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if done := c.waiting[id]; done != nil {
		close(done)
		delete(c.waiting, id)
	}
}

// expect returns a channel that is closed once an envelope has been acknowledged.
func (c *socket) expect(id string) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	done := make(chan struct{})
	c.waiting[id] = done
	return done
}

func (s *Courier) hangUp(c *socket) {
	c.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, one := range s.sockets {
		if one == c {
			s.sockets = append(s.sockets[:i:i], s.sockets[i+1:]...)
			return
		}
	}
}

// Sockets returns the number of open connections of Socket Mode.
func (s *Courier) Sockets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets)
}

// Disconnect closes every connection of Socket Mode, as Slack does every few hours.
func (s *Courier) Disconnect() {
	s.mu.Lock()
	all := append([]*socket(nil), s.sockets...)
	s.mu.Unlock()
	for _, c := range all {
		_ = c.write(answer{"type": "disconnect", "reason": "refresh_requested", "debug_info": answer{"host": "slacksim"}})
		c.conn.Close()
	}
}

// pushed sends an event over the newest connection and waits for its acknowledgement.
func (s *Courier) pushed(ctx context.Context, d dispatch, retry int) error {
	envelope := "env-" + strconv.Itoa(s.serial())
	s.mu.Lock()
	var c *socket
	if n := len(s.sockets); n > 0 {
		c = s.sockets[n-1]
	}
	s.mu.Unlock()
	if c == nil {
		return errors.New("dispatch_failed: the App is not connected")
	}
	done := c.expect(envelope)
	message := answer{
		"type": d.kind, "envelope_id": envelope, "accepts_response_payload": d.kind != "events_api",
		"payload": json.RawMessage(d.object()),
	}
	if retry > 0 {
		message["retry_attempt"], message["retry_reason"] = retry, "timeout"
	}
	if err := c.write(message); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stop:
		return errors.New("slack has stopped")
	}
}
