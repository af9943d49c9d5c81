package work

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

// Step does one piece of work. It returns whether there was one, and otherwise when the next is due; the zero time if
// none is known.
type Step func(ctx context.Context) (did bool, next time.Time, err error)

// Piece does a piece of work that has been taken.
type Piece func(ctx context.Context) error

// Nothing is a piece of work that was done when it was taken.
func Nothing(context.Context) error { return nil }

// Take takes a piece of work that is claimed. It is nil if there is none to be done now; then next is when there may be
// one, the zero time if none is known.
type Take func(ctx context.Context, c store.Claim) (do Piece, next time.Time, err error)

// Worker does one kind of work: it takes piece after piece and does those it has taken side by side, so that a piece
// that waits for GitHub delays no other.
type Worker struct {
	Name  string
	Take  Take
	Wake  Wake // notified by code that leaves the worker something to do; nil: none does
	Width int  // how many pieces are done at a time
	// Writes says that a piece changes something on GitHub: one that has begun is given time to end.
	Writes bool
}

// OneByOne is a Take for work that is not claimed, of which a step is done at a time.
func OneByOne(step Step) Take {
	return func(ctx context.Context, _ store.Claim) (do Piece, next time.Time, err error) {
		did, next, err := step(ctx)
		if did {
			do = Nothing
		}
		return do, next, err
	}
}

// Step takes a piece of work and does it. Tests have workers do single steps.
func (w Worker) Step(ctx context.Context) (did bool, next time.Time, err error) {
	do, next, err := w.Take(ctx, store.Claim{})
	if err != nil || do == nil {
		return false, next, err
	}
	if w.Width > 1 {
		w.Wake.Notify() // there may be more for another one
	}
	return true, time.Time{}, do(ctx)
}

// Woken returns the channel of the worker's wake. It is nil, and blocks for ever, if the worker has no wake.
func (w Worker) Woken() <-chan struct{} { return w.Wake }

// maxSleep bounds how long a worker waits for its wake. Work that another process has written, or that is due because a
// clock was set, wakes no worker. Where one process has the database, the store may take a minute to see that a clock
// was set.
const maxSleep = time.Second

// Work does pieces until there is nothing left to do, then sleeps until it is woken, a piece ends or the next is due.
// It takes none once ctx has ended; pieces that have begun may go on until lasting ends, and are waited for.
func (w Worker) Work(ctx, lasting context.Context, now func() time.Time) {
	if w.Wake == nil {
		w.Wake = NewWake()
	}
	var underWay atomic.Int64
	var pieces sync.WaitGroup
	defer pieces.Wait()
	for ctx.Err() == nil {
		room := w.Width - int(underWay.Load())
		if room <= 0 {
			Sleep(ctx, w.Wake, maxSleep)
			continue
		}
		do, next, err := w.Take(lasting, store.Claim{Room: room})
		switch {
		case err != nil:
			w.log(ctx, err)
			Sleep(ctx, w.Wake, stepBackoff.After(1, 0))
		case do != nil && w.Width == 1:
			w.log(ctx, do(lasting))
		case do != nil:
			underWay.Add(1)
			pieces.Go(func() {
				w.log(ctx, do(lasting))
				underWay.Add(-1)
				w.Wake.Notify() // for what had to wait for it
			})
		default:
			pause := maxSleep
			if !next.IsZero() {
				pause = min(pause, max(0, next.Sub(now())))
			}
			Sleep(ctx, w.Wake, pause)
		}
	}
}

// log logs the error of a piece of work, unless it is that the program stops.
func (w Worker) log(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		zerolog.Ctx(ctx).Error().Err(err).Str("worker", w.Name).Msg("step")
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
