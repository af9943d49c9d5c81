package hooks

import (
	"math/rand/v2"
	"slices"
)

// noise disturbs the webhooks that are queued.
type noise struct {
	random  *rand.Rand
	shuffle bool
	again   int            // one of so many is sent a second time under a GUID of its own; 0: none
	twice   map[string]int // how many were sent a second time, by the action of the event
}

// Disturb has webhooks come in any order, and one of so many twice, under two GUIDs: a seed decides which. With false
// and 0 they come as usual.
func (c *Courier) Disturb(seed uint64, shuffle bool, again int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noise = noise{rand.New(rand.NewPCG(seed, 0)), shuffle, again, map[string]int{}}
}

// place puts a delivery into the queue: at its end, or anywhere. The lock is held.
func (c *Courier) place(d *Delivery) {
	at := len(c.queue)
	if c.noise.shuffle {
		at = c.noise.random.IntN(len(c.queue) + 1)
	}
	c.queue = slices.Insert(c.queue, at, d)
}

// repeats draws whether a new webhook is sent a second time, and returns that delivery. The lock is held.
func (c *Courier) repeats(d *Delivery) *Delivery {
	if c.noise.again == 0 || c.noise.random.IntN(c.noise.again) > 0 {
		return nil
	}
	c.noise.twice[d.Action]++
	c.ids++
	twin := *d
	twin.ID, twin.GUID = c.ids, GUID(c.seed, c.ids)
	return &twin
}

// Repeated returns how many events with an action have been told twice since Disturb.
func (c *Courier) Repeated(action string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.noise.twice[action]
}
