package intake

import "context"

// lane lets one piece of work go on at a time.
type lane chan struct{}

func newLane() lane { return make(lane, 1) }

// enter waits until nothing else is in the lane. Who has entered must call leave.
func (l lane) enter(ctx context.Context) (leave func(), err error) {
	select {
	case l <- struct{}{}:
		return func() { <-l }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
