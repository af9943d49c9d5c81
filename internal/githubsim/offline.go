package githubsim

import (
	"bytes"
	"net/http"
	"slices"

	"waybill/internal/wireless"
)

// RoundTrip answers a request without a network. A reply that a fault loses is io.ErrUnexpectedEOF.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	return wireless.Answer(s.http.Handler, r)
}

// Waiting lists the webhooks that have not been handed over yet, in the order of their events.
func (s *Server) Waiting() []Delivery {
	s.courier.mu.Lock()
	defer s.courier.mu.Unlock()
	all := make([]Delivery, len(s.courier.queue))
	for i, d := range s.courier.queue {
		all[i] = *d
	}
	return all
}

// Post hands a waiting webhook over to the App, and returns what became of it. Nobody is there if to is nil; an App that
// goes away while it is asked panics with http.ErrAbortHandler, as any handler does that gives no answer.
func (s *Server) Post(id int64, to http.Handler) Delivery {
	c := s.courier
	d := c.take(id)
	if d == nil {
		return Delivery{}
	}
	d.At = c.clock().UTC()
	if to == nil {
		d.StatusCode, d.Status = http.StatusBadGateway, "failed to connect to host"
	} else {
		request, err := http.NewRequest(http.MethodPost, s.webhookURL(), bytes.NewReader(d.Payload))
		if err != nil {
			d.StatusCode, d.Status = http.StatusBadGateway, err.Error()
			return *d
		}
		request.Header = c.header(d)
		d.hand(request, to)
	}
	c.done(d)
	return *d
}

// hand has the App answer a webhook.
func (d *Delivery) hand(request *http.Request, to http.Handler) {
	answer, err := wireless.Answer(to, request)
	if err != nil {
		d.StatusCode, d.Status = http.StatusBadGateway, "the connection was closed"
		return
	}
	d.answered(answer)
}

// Lose drops a waiting webhook without a trace.
func (s *Server) Lose(id int64) { s.courier.take(id) }

// take takes a webhook out of the queue; nil if it is not there.
func (c *courier) take(id int64) *Delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.queue, func(d *Delivery) bool { return d.ID == id })
	if i < 0 {
		return nil
	}
	d := c.queue[i]
	c.queue = slices.Delete(c.queue, i, i+1)
	return d
}
