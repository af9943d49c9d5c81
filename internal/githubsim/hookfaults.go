package githubsim

import "slices"

// LoseWebhooks switches a network on and off that swallows webhooks without a trace: they are neither sent nor listed among the
// App's deliveries until DeliverLost.
func (s *Server) LoseWebhooks(lose bool) {
	s.courier.mu.Lock()
	defer s.courier.mu.Unlock()
	s.courier.losing = lose
}

// DeliverLost ends losing and sends what was lost, in the order it happened.
func (s *Server) DeliverLost() {
	c := s.courier
	c.mu.Lock()
	defer c.mu.Unlock()
	c.losing = false
	for _, d := range c.lost {
		c.push(d)
	}
	c.lost = nil
}

// ForgetLost drops what was lost for good and answers how many that were.
func (s *Server) ForgetLost() int {
	s.courier.mu.Lock()
	defer s.courier.mu.Unlock()
	n := len(s.courier.lost)
	s.courier.lost = nil
	return n
}

// DoubleWebhooks switches a network on and off that delivers everything twice, with the same GUID.
func (s *Server) DoubleWebhooks(double bool) {
	s.courier.mu.Lock()
	defer s.courier.mu.Unlock()
	s.courier.doubling = double
}

// HoldWebhooks keeps webhooks back until one of the Release methods.
func (s *Server) HoldWebhooks() {
	s.courier.mu.Lock()
	defer s.courier.mu.Unlock()
	s.courier.holding = true
}

// ReleaseWebhooks sends what was held, late and in order.
func (s *Server) ReleaseWebhooks() {
	s.release(func([]*Delivery) {})
}

// ReleaseReversed sends what was held, the newest first.
func (s *Server) ReleaseReversed() {
	s.release(func(held []*Delivery) { slices.Reverse(held) })
}

// ReleaseOrdered sends what was held in the order of a comparison, as slices.SortFunc takes it.
func (s *Server) ReleaseOrdered(compare func(a, b Delivery) int) {
	s.release(func(held []*Delivery) {
		slices.SortStableFunc(held, func(a, b *Delivery) int { return compare(*a, *b) })
	})
}

func (s *Server) release(arrange func([]*Delivery)) {
	c := s.courier
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = false
	arrange(c.held)
	for _, d := range c.held {
		c.push(d)
	}
	c.held = nil
}

// FailWebhooks lets the next n deliveries end with a status without reaching the App. They are listed as failed, so that they can be redelivered.
func (s *Server) FailWebhooks(n, status int) {
	s.courier.mu.Lock()
	defer s.courier.mu.Unlock()
	for range n {
		s.courier.refusals = append(s.courier.refusals, status)
	}
}

// Redeliver sends the last n deliveries again with their GUIDs, oldest first, and answers how many there were.
func (s *Server) Redeliver(n int) int {
	c := s.courier
	c.mu.Lock()
	defer c.mu.Unlock()
	first := max(0, len(c.log)-n)
	chosen := slices.Clone(c.log[first:])
	for _, d := range chosen {
		c.again(d)
	}
	return len(chosen)
}

// HearWebhooks ends what FailWebhooks has begun.
func (s *Server) HearWebhooks() {
	s.courier.mu.Lock()
	defer s.courier.mu.Unlock()
	s.courier.refusals = nil
}
