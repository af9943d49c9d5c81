package hooks

import "slices"

// LoseWebhooks switches the loss of webhooks on and off: lost ones are neither sent nor listed among the App's
// deliveries until DeliverLost.
func (c *Courier) LoseWebhooks(lose bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.losing = lose
}

// DeliverLost stops losing webhooks and sends the lost ones, in the order of their events.
func (c *Courier) DeliverLost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.losing = false
	for _, d := range c.lost {
		c.push(d)
	}
	c.lost = nil
}

// ForgetLost drops the lost webhooks and returns their number.
func (c *Courier) ForgetLost() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.lost)
	c.lost = nil
	return n
}

// DoubleWebhooks switches on and off that each webhook is delivered twice, with the same GUID.
func (c *Courier) DoubleWebhooks(double bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubling = double
}

// SendAtOnce has n webhooks more on their way at a time, as the real GitHub does. Then their order is not kept.
func (c *Courier) SendAtOnce(n int) {
	for range n {
		go c.run()
	}
}

// HoldWebhooks keeps webhooks back until one of the Release methods.
func (c *Courier) HoldWebhooks() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = true
}

// ReleaseWebhooks sends the held webhooks, late and in order.
func (c *Courier) ReleaseWebhooks() {
	c.release(func([]*Delivery) {})
}

// ReleaseReversed sends the held webhooks, the newest first.
func (c *Courier) ReleaseReversed() {
	c.release(func(held []*Delivery) { slices.Reverse(held) })
}

// ReleaseOrdered sends the held webhooks in the order of a comparison, as slices.SortFunc takes it.
func (c *Courier) ReleaseOrdered(compare func(a, b Delivery) int) {
	c.release(func(held []*Delivery) {
		slices.SortStableFunc(held, func(a, b *Delivery) int { return compare(*a, *b) })
	})
}

func (c *Courier) release(arrange func([]*Delivery)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = false
	arrange(c.held)
	for _, d := range c.held {
		c.push(d)
	}
	c.held = nil
}

// FailWebhooks makes the next n deliveries fail with a status without reaching the App. They are listed as failed, so
// that they can be redelivered.
func (c *Courier) FailWebhooks(n, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range n {
		c.refusals = append(c.refusals, status)
	}
}

// Redeliver sends the last n deliveries again with their GUIDs, oldest first, and returns the number sent.
func (c *Courier) Redeliver(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := max(0, len(c.log)-n)
	chosen := slices.Clone(c.log[first:])
	for _, d := range chosen {
		c.again(d)
	}
	return len(chosen)
}

// HearWebhooks ends the failures that FailWebhooks began.
func (c *Courier) HearWebhooks() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusals = nil
}
