package work

import (
	"context"
	"time"

	"github.com/rs/zerolog"
)

// Step does one piece of work. It returns whether there was one, and otherwise when the next is due; the zero time if
// none is known.
type Step func(ctx context.Context) (did bool, next time.Time, err error)

// Worker does one kind of work, step by step.
type Worker struct {
	Name string
	Step Step
	Wake Wake // notified by code that leaves the worker something to do; nil: none does
	// Writes says that a step changes something on GitHub: a step that has begun is given time to end.
	Writes bool
}

// Woken returns the channel of the worker's wake. It is nil, and blocks for ever, if the worker has no wake.
func (w Worker) Woken() <-chan struct{} { return w.Wake }

// maxSleep bounds how long a worker waits for its wake. Work that another process has written, or that is due because a
// clock was set, wakes no worker.
const maxSleep = time.Second

// Work does steps until there is nothing left to do, then sleeps until it is woken or the next step is due. It begins
// no step once ctx has ended; a step that has begun may go on until lasting ends.
func (w Worker) Work(ctx, lasting context.Context, now func() time.Time) {
	log := zerolog.Ctx(ctx).With().Str("worker", w.Name).Logger()
	for ctx.Err() == nil {
		did, next, err := w.Step(lasting)
		if err != nil && ctx.Err() == nil {
			log.Error().Err(err).Msg("step")
			Sleep(ctx, w.Wake, stepBackoff.After(1, 0))
			continue
		}
		if did {
			continue
		}
		pause := maxSleep
		if !next.IsZero() {
			pause = min(pause, max(0, next.Sub(now())))
		}
		Sleep(ctx, w.Wake, pause)
	}
}

// WithGrace returns a context that ends a grace period after ctx does. If grace is negative, it ends with ctx.
func WithGrace(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	if grace < 0 {
		return ctx, func() {}
	}
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return longer, func() { stop(); cancel() }
}
