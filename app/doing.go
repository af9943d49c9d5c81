package app

import (
	"sync"

	"waybill/promotion"
)

// doing is what the hands of this process are at. A claim ends by the clock, and a clock may be set, or the whole process
// may stand still for a while: what a hand is at stays its own all the same, so that nothing is done by two at once.
type doing struct {
	mu  sync.Mutex
	all map[promotion.EffectKey]bool
}

// take reports whether nobody else is at it, and notes that somebody is now.
func (d *doing) take(key promotion.EffectKey) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all[key] {
		return false
	}
	if d.all == nil {
		d.all = map[promotion.EffectKey]bool{}
	}
	d.all[key] = true
	return true
}

func (d *doing) leave(key promotion.EffectKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.all, key)
}
