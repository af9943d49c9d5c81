package hooks

import (
	"bytes"
	"net/http"
	"slices"

	"waybill/internal/wireless"
)

// Waiting lists the webhooks that were not delivered yet, in the order of their events.
func (c *Courier) Waiting() []Delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]Delivery, len(c.queue))
	for i, d := range c.queue {
		all[i] = *d
	}
	return all
}

// Post delivers a waiting webhook to the App and returns the result. The connection fails if to is nil. A handler that
// panics with http.ErrAbortHandler gives no answer, like an App that stops during the request.
func (c *Courier) Post(id int64, to http.Handler) Delivery {
	d := c.withdraw(id)
	if d == nil {
		return Delivery{}
	}
	d.At = c.clock().UTC()
	if to == nil {
		d.StatusCode, d.Status = http.StatusBadGateway, "failed to connect to host"
	} else {
		request, err := http.NewRequest(http.MethodPost, c.WebhookURL(), bytes.NewReader(d.Payload))
		if err != nil {
			d.StatusCode, d.Status = http.StatusBadGateway, err.Error()
			return *d
		}
		request.Header = c.Header(d)
		d.hand(request, to)
	}
	c.done(d)
	return *d
}

// hand calls the App's handler with a webhook.
func (d *Delivery) hand(request *http.Request, to http.Handler) {
	answer, err := wireless.Answer(to, request)
	if err != nil {
		d.StatusCode, d.Status = http.StatusBadGateway, "the connection was closed"
		return
	}
	d.answered(answer)
}

// Lose drops a waiting webhook. It is not listed.
func (c *Courier) Lose(id int64) { c.withdraw(id) }

// withdraw removes a webhook from the queue and returns it, or nil if it is not queued.
func (c *Courier) withdraw(id int64) *Delivery {
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
