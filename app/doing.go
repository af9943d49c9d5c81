package app

import (
	"sync"

	"waybill/promotion"
)

// doing is what the hands of this process are at. A claim ends by the clock, and a clock may be set, or the whole process
// may stand still for a while: what a hand is at stays its own all the same, so that nothing is done by two at once.
type doing struct {
	mu  sync.Mutex
	all map[effectOf]bool
}

// effectOf names an effect among those of all pipelines.
type effectOf struct {
	pipeline int64
	key      promotion.EffectKey
}

// take reports whether nobody else is at it, and notes that somebody is now.
func (d *doing) take(pipeline int64, key promotion.EffectKey) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := effectOf{pipeline, key}
	if d.all[e] {
		return false
	}
	if d.all == nil {
		d.all = map[effectOf]bool{}
	}
	d.all[e] = true
	return true
}

func (d *doing) leave(pipeline int64, key promotion.EffectKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.all, effectOf{pipeline, key})
}
