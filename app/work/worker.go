package work

import (
	"context"
	"time"

	"github.com/rs/zerolog"
)

// Step does one piece of work. It returns whether there was one, and otherwise when the next is due; the zero time if
// nothing is known to come.
type Step func(ctx context.Context) (did bool, next time.Time, err error)

// Worker does one kind of work, step by step.
type Worker struct {
	Name string
	Step Step
	Wake Wake // rung by whoever leaves it something to do; nil if nobody does
	// Writes says that a step changes something at GitHub: it is given time to end.
	Writes bool
}

// Woken is where the worker hears that there may be something to do. It is nil, and never heard, if nobody calls it.
func (w Worker) Woken() <-chan struct{} { return w.Wake }

// maxSleep bounds how long a worker trusts its bell: what was written by another process, or for a clock that has
// been set, is found by looking.
const maxSleep = time.Second

// Work does steps until there is nothing left to do, then sleeps until the bell rings or the next step is due. It
// begins nothing once its context has ended; a step that was begun before may go on for as long as its own lasts.
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

// WithGrace returns a context that ends some time after another one has; at the same time if that is negative.
func WithGrace(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	if grace < 0 {
		return ctx, func() {}
	}
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return longer, func() { stop(); cancel() }
}
