package work

import (
	"context"
	"time"
)

// Wake wakes a worker. One notification is kept at most: a worker that is busy looks for work again when it is done.
type Wake chan struct{}

// NewWake returns a Wake without a notification.
func NewWake() Wake { return make(Wake, 1) }

// Notify wakes the worker, or has it look again if it is busy. It never blocks.
func (b Wake) Notify() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// Sleep returns after d, or earlier when the context ends or b is notified; a nil b never is.
func Sleep(ctx context.Context, b Wake, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-b:
	case <-timer.C:
	}
}
