package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"waybill/app"
	"waybill/internal/githubsim"
)

// program is a running Waybill whose workers do not run by themselves.
type program struct {
	service *app.Service
	second  *app.Service    // another process that works on the same database; nil: there is none
	ctx     context.Context // ends when the process dies
	die     context.CancelFunc
	workers []*worker
	asked   *worker                // for what is done on demand
	bug     atomic.Pointer[string] // a panic that was contained
}

// worker does the steps of one worker, one at a time. Before and after each request to GitHub it stops and waits for
// its turn.
type worker struct {
	name  string
	step  func(ctx context.Context) (did bool, next time.Time, err error)
	busy  bool
	sight sight // what its step could know when it began
	awake bool  // there may be something to do
	wake  <-chan struct{}
	next  time.Time // otherwise it looks again then, by the program's clock; zero: when it is woken
	out   chan outcome
	at    *stop // where it waits for its turn; nil while it does something, or waits for something else
}

// outcome is how a step ended.
type outcome struct {
	did  bool
	next time.Time
	err  error
}

// stop is a place at which a hand waits for its turn.
type stop struct {
	what     string
	request  *http.Request
	answered bool
	turn     chan struct{}
}

// expired reports whether whoever made the request has stopped waiting.
func (s *stop) expired() bool { return s.request.Context().Err() != nil }

// start starts the program on a database file. Every fifth world has two processes on one file, of which the first
// takes what comes in.
func (w *World) start() error {
	ctx, die := context.WithCancel(w.base)
	p := &program{ctx: ctx, die: die}
	var err error
	if p.service, err = w.process(p); err == nil && w.shape.Twofold() {
		p.second, err = w.process(p)
	}
	if err != nil {
		die()
		return errors.Join(err, p.close())
	}
	w.program = p
	for _, s := range p.services() {
		if err := s.App.TakeUp(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		p.employ(s)
	}
	p.asked = &worker{name: "resync", out: make(chan outcome, 1), step: func(ctx context.Context) (bool, time.Time, error) {
		_ = p.service.App.Resync(ctx) // GitHub may refuse; there are more
		return true, time.Time{}, nil
	}}
	p.workers = append(p.workers, p.asked)
	return nil
}

// process starts one process.
func (w *World) process(p *program) (*app.Service, error) {
	return app.NewService(p.ctx, w.server, app.World{
		Clock: w.programTime, Wire: w.ear.between(w), Steady: time.Now,
		Workers:  app.Workers{Intake: 2, Effects: 2, Views: 2, Resyncs: 2, PerAccount: perAccount},
		Rehearse: w.shape.Rehearses(),
		Shared:   w.shape.Twofold(),
		Panicked: func(text string, stack []byte) {
			bug := text + "\n" + string(stack)
			p.bug.Store(&bug)
		},
	})
}

// employ adds the workers of a process.
func (p *program) employ(s *app.Service) {
	for _, one := range s.App.Workers() {
		p.workers = append(p.workers, &worker{
			name: fmt.Sprintf("%s %d", one.Name, len(p.workers)), step: one.Step, wake: one.Called(), awake: true,
			out: make(chan outcome, 1),
		})
	}
}

// services are the processes.
func (p *program) services() []*app.Service {
	if p.second == nil {
		return []*app.Service{p.service}
	}
	return []*app.Service{p.service, p.second}
}

// close closes what has been opened.
func (p *program) close() error {
	var errs []error
	for _, s := range p.services() {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// handKey is under which a step's context says whose it is.
type workerKey struct{}

// begin has a hand begin a step.
func (w *World) begin(h *worker) {
	h.busy, h.awake, h.sight = true, false, w.look()
	select {
	case <-h.wake:
	default:
	}
	ctx := context.WithValue(w.program.ctx, workerKey{}, h)
	go func() {
		var o outcome
		defer func() { h.out <- o }()
		o.did, o.next, o.err = h.step(ctx)
	}()
}

// ended takes note of the steps that have ended.
func (w *World) ended() {
	if bug := w.program.bug.Swap(nil); bug != nil && !w.ear.hears(*bug) {
		w.broken("no step panics", "%s", *bug)
	}
	for _, h := range w.program.workers {
		select {
		case o := <-h.out:
			h.busy, h.next = false, o.next
			w.ear.hears(fmt.Sprint(o.err))
			if w.program.ctx.Err() == nil { // what a dying process says comes in any order
				w.note("    %s ends: did=%t next=%s err=%v", h.name, o.did, o.next.Format(time.TimeOnly), o.err)
			}
			switch {
			case o.err != nil && w.program.ctx.Err() == nil:
				w.broken("every step can be written down", "%s: %v", h.name, o.err)
			case o.did && w.program.second != nil:
				w.wakeAll() // processes do not ring each other: each looks once a second
			case o.did:
				w.program.wake(h)
			}
		default:
		}
	}
}

// wakeAll has every worker look for something to do, as they do from time to time.
func (w *World) wakeAll() {
	for _, h := range w.program.workers {
		w.program.wake(h)
	}
}

// wake has a hand look for something to do. One that works on demand looks only if somebody has asked since it last
// began.
func (p *program) wake(h *worker) { h.awake = h.awake || h != p.asked }

// requests sees each request to GitHub and Slack just before it is answered, and just after.
type requests interface {
	before(h *worker, r *http.Request)
	after(h *worker, r *http.Request)
}

// RoundTrip carries requests to GitHub and Slack. It makes workers stop before and after each.
func (w *World) RoundTrip(r *http.Request) (*http.Response, error) {
	h, _ := r.Context().Value(workerKey{}).(*worker)
	if h == nil || isToken(r) {
		return w.answer(r)
	}
	what := r.Method + " " + r.URL.Path
	if err := h.stop(&stop{what: what, request: r, turn: make(chan struct{})}); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	w.requests.before(h, r)
	response, err := w.answer(r)
	w.requests.after(h, r)
	late := h.stop(&stop{what: what, request: r, answered: true, turn: make(chan struct{})})
	w.chat.posted(r, late == nil && err == nil)
	if late != nil {
		return nil, late
	}
	return response, err
}

// answer has GitHub answer a request, or Slack.
func (w *World) answer(r *http.Request) (*http.Response, error) {
	if w.chat != nil && "http://"+r.URL.Host == w.chat.URL() {
		return w.chat.RoundTrip(r)
	}
	return w.github.RoundTrip(r)
}

// stop waits for the hand's turn. It returns an error if by then nobody waits for the request any more.
func (h *worker) stop(at *stop) error {
	h.at = at
	<-at.turn
	return at.request.Context().Err()
}

// release lets a hand go on.
func (h *worker) release() {
	at := h.at
	h.at = nil
	close(at.turn)
}

// isToken reports whether a request asks for a token. Whoever does holds a lock that others wait for.
func isToken(r *http.Request) bool {
	const end = "/access_tokens"
	p := r.URL.Path
	return len(p) > len(end) && p[len(p)-len(end):] == end
}

// handler is what GitHub posts webhooks to: nobody once the process is dead.
func (w *World) handler() http.Handler {
	p := w.program
	return http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		p.service.Handler().ServeHTTP(answer, r.WithContext(p.ctx))
		if p.ctx.Err() != nil {
			panic(http.ErrAbortHandler)
		}
	})
}

var _ http.RoundTripper = (*githubsim.Server)(nil)
