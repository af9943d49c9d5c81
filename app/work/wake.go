package work

import (
	"context"
	"time"
)

// Wake wakes a worker. One notification is kept at most: a worker that is busy looks for work again when it is done.
type Wake chan struct{}

func NewWake() Wake { return make(Wake, 1) }

func (b Wake) Notify() {
	select {
	case b <- struct{}{}:
	default:
	}
}

func Sleep(ctx context.Context, b Wake, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-b:
	case <-timer.C:
	}
}
