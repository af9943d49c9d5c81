package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	"waybill/app"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// Machine runs the program.
type Machine struct {
	chat     *ledger.Chat
	checkout *ledger.Checkout
	clock    *ledger.Clock
	github   *githubsim.Server
	log      *ledger.Journal
	next     *neighbour
	shape    shape.Shape

	ear      *listener // nil in most histories
	base     context.Context
	database string // its URL
	server   config.Server
	requests requests
	program  *program
	looks    int         // the process dies after so many reads of the program's clock; 0: never
	deaths   []time.Time // of processes that shared the database, which no other has noticed yet
}

// program is a running Waybill. The schedule starts each step of its workers.
type program struct {
	service *app.Service
	second  *app.Service    // a second process on the same database; nil: there is only one
	ctx     context.Context // ends when the processes die
	die     context.CancelFunc
	other   context.Context // ends when the second process dies
	dieOne  context.CancelFunc
	workers []*worker
	asked   *worker                // runs a resync on demand
	bug     atomic.Pointer[string] // a panic that the program recovered from
}

// start starts the program on a database file. Every fifth history has two processes on one file; each takes webhooks,
// and the first one the requests to the API and of Slack.
func (m *Machine) start() error {
	ctx, die := context.WithCancel(m.base)
	p := &program{ctx: ctx, die: die}
	var err error
	if p.service, err = m.process(p, ctx); err != nil {
		die()
		return errors.Join(err, p.close())
	}
	m.program = p
	if err := p.prepare(ctx, p.service); err != nil {
		return err
	}
	if err := m.startOther(); err != nil {
		return err
	}
	p.asked = &worker{of: ctx, name: "resync", out: make(chan outcome, 1),
		step: func(ctx context.Context) (bool, time.Time, error) {
			_ = p.service.App.Resync(ctx) // GitHub may refuse it; later resyncs follow
			return true, time.Time{}, nil
		}}
	p.workers = append(p.workers, p.asked)
	return nil
}

// startOther starts the second process, in a history that has two. If the first one dies just then, both are dead.
func (m *Machine) startOther() (err error) {
	p := m.program
	if !m.shape.Twofold() {
		return nil
	}
	defer func() {
		if p.ctx.Err() != nil {
			err = nil
		}
	}()
	p.other, p.dieOne = context.WithCancel(p.ctx)
	if err := p.service.App.Store.Beat(p.ctx); err != nil {
		return err
	}
	if p.second, err = m.process(p, p.other); err != nil {
		return err
	}
	if err := p.prepare(p.other, p.second); err != nil {
		return err
	}
	return p.second.App.Store.Beat(p.other)
}

// deadAfter is after what time the others take a process for dead that does not say that it is at work, and take up
// what it was doing, though it has started again meanwhile: then it is another process.
const deadAfter = 15 * time.Second

// mourn has the processes that are alive notice each death after its time. Each says then that it is at work, and also
// when the second one starts; otherwise nobody looks.
func (m *Machine) mourn() error {
	due := 0
	for due < len(m.deaths) && time.Since(m.deaths[due]) >= deadAfter {
		due++
	}
	if m.deaths = m.deaths[due:]; due == 0 {
		return nil
	}
	var errs []error
	for _, s := range m.program.services() {
		errs = append(errs, s.App.Store.Beat(m.program.ctx))
	}
	return errors.Join(errs...)
}

// prepare has a process begin to work.
func (p *program) prepare(ctx context.Context, s *app.Service) error {
	if err := s.App.Prepare(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	p.employ(ctx, s)
	return nil
}

// process starts one process, which dies when the context ends.
func (m *Machine) process(p *program, ctx context.Context) (*app.Service, error) {
	return app.NewService(ctx, m.server, app.World{
		Clock: m.programTime, Wire: m.ear.between(m), Steady: time.Now,
		Workers:  m.workers(),
		Rehearse: m.shape.Rehearses(),
		Shared:   m.shape.Twofold(),
		Panicked: func(text string, stack []byte) {
			bug := text + "\n" + string(stack)
			p.bug.Store(&bug)
		},
	})
}

// workers returns how many workers there are of each kind. Of four, a slow neighbour with one repository occupies at
// most two.
func (m *Machine) workers() app.Workers {
	n := 2
	if m.shape.Slow > 0 {
		n = 4
	}
	return app.Workers{Intake: n, Effects: n, Views: n, Resyncs: n, PerInstallation: ledger.PerAccount}
}

// employ adds the workers of a process, Width of them for each kind of work.
func (p *program) employ(ctx context.Context, s *app.Service) {
	for _, one := range s.App.Workers() {
		for range one.Width {
			p.workers = append(p.workers, &worker{
				of: ctx, name: fmt.Sprintf("%s %d", one.Name, len(p.workers)), step: one.Step, wake: one.Woken(), awake: true,
				out: make(chan outcome, 1),
			})
		}
	}
}

// services returns the one or two processes.
func (p *program) services() []*app.Service {
	if p.second == nil {
		return []*app.Service{p.service}
	}
	return []*app.Service{p.service, p.second}
}

// close closes the processes that were opened.
func (p *program) close() error {
	var errs []error
	for _, s := range p.services() {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// workerKey is the context key of the worker that runs a step.
type workerKey struct{}

// begin starts a step of a worker.
func (m *Machine) begin(h *worker) {
	h.busy, h.awake, h.sight, h.asks = true, false, m.checkout.Look(), false
	select {
	case <-h.wake:
	default:
	}
	ctx := context.WithValue(h.of, workerKey{}, h)
	go func() {
		var o outcome
		defer func() { h.out <- o }()
		o.did, o.next, o.err = h.step(ctx)
	}()
}

// ended records the steps that have ended.
func (m *Machine) ended() {
	if bug := m.program.bug.Swap(nil); bug != nil && !m.ear.hears(*bug) {
		m.log.Broken(ledger.NoPanic, "%s", *bug)
	}
	for _, h := range m.program.workers {
		select {
		case o := <-h.out:
			h.busy, h.next = false, o.next
			m.ear.hears(fmt.Sprint(o.err))
			if h.of.Err() == nil { // the steps of a dying process end in any order
				m.log.Note("    %s ends: did=%t next=%s err=%v", h.name, o.did, o.next.Format(time.TimeOnly), o.err)
			}
			switch {
			case o.err != nil && h.of.Err() == nil:
				m.log.Broken(ledger.IsWrittenDown, "%s: %v", h.name, o.err)
			case o.did && m.shape.Twofold():
				m.wakeAll() // processes do not notify each other: each polls once a second
			case o.did:
				m.program.wake(h)
			}
		default:
		}
	}
}

// wakeAll makes every worker look for work, as each does by itself from time to time.
func (m *Machine) wakeAll() {
	for _, h := range m.program.workers {
		m.program.wake(h)
	}
}

// wake makes a worker look for work. The worker for resyncs is left alone: only a request wakes it.
func (p *program) wake(h *worker) { h.awake = h.awake || h != p.asked }

// requests observes each request to GitHub and Slack just before and just after its answer, and the first of a step
// before its worker stops there.
type requests interface {
	first(h *worker)
	before(h *worker, r *http.Request)
	after(h *worker, r *http.Request)
}

// RoundTrip carries requests to GitHub and Slack. It stops the worker before and after each one.
func (m *Machine) RoundTrip(r *http.Request) (*http.Response, error) {
	h, _ := r.Context().Value(workerKey{}).(*worker)
	if h == nil || isToken(r) {
		return m.answer(r)
	}
	if !h.asks {
		h.asks = true
		m.requests.first(h)
	}
	what := r.Method + " " + r.URL.Path
	late := m.next.is(r)
	if err := h.stop(&stop{what: what, request: r, late: late, turn: make(chan struct{})}); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	m.requests.before(h, r)
	response, err := m.answer(r)
	m.requests.after(h, r)
	at := &stop{what: what, request: r, answered: true, late: late, turn: make(chan struct{})}
	if late {
		at.ready = time.Now().Add(m.next.late)
	}
	ended := h.stop(at)
	m.chat.Posted(r, ended == nil && err == nil)
	if ended != nil {
		return nil, ended
	}
	return response, err
}

// answer passes a request to the simulated Slack or GitHub.
func (m *Machine) answer(r *http.Request) (*http.Response, error) {
	if m.chat != nil && "http://"+r.URL.Host == m.chat.URL() {
		return m.chat.RoundTrip(r)
	}
	if most := m.shape.Large; most > 0 && thingsIn(r) > most {
		return m.tooMuch(r), nil
	}
	response, err := m.github.RoundTrip(r)
	if err == nil {
		err = m.next.noteToken(r, response)
	}
	return response, err
}

// thingsIn returns about how many things a query of GraphQL asks: its variables are numbered by thing.
func thingsIn(r *http.Request) (n int) {
	if !strings.HasSuffix(r.URL.Path, "/graphql") {
		return 0
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var asked struct {
		Query     string
		Variables map[string]any
	}
	if err != nil || json.Unmarshal(body, &asked) != nil || strings.HasPrefix(asked.Query, "mutation") {
		return 0
	}
	for name := range asked.Variables {
		if i, err := strconv.Atoi(name[1:]); err == nil {
			n = max(n, i+1)
		}
	}
	return n
}

// tooMuch is GitHub's answer to a query about too many things: in some histories it says so, in others it gives up.
func (m *Machine) tooMuch(r *http.Request) *http.Response {
	answer := &http.Response{Request: r, StatusCode: http.StatusBadGateway, Header: http.Header{}, Body: http.NoBody}
	if m.shape.Seed%2 == 0 {
		answer.StatusCode = http.StatusOK
		answer.Header.Set("Content-Type", "application/json")
		answer.Body = io.NopCloser(strings.NewReader(`{"data": null, "errors": [{"type": "RESOURCE_LIMITS_EXCEEDED",
			"message": "Resource limits for this query exceeded."}]}`))
	}
	return answer
}

// handler returns the receiver of GitHub's webhooks: of two processes either one, as their ids say. It aborts every
// request once the process is dead.
func (m *Machine) handler() http.Handler {
	p := m.program
	return http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		taker, ctx := p.service, p.ctx
		if guid := r.Header.Get("X-GitHub-Delivery"); p.second != nil && guid != "" && guid[len(guid)-1]%2 == 0 {
			taker, ctx = p.second, p.other
		}
		taker.Handler().ServeHTTP(answer, r.WithContext(ctx))
		if ctx.Err() != nil {
			panic(http.ErrAbortHandler)
		}
	})
}

// programTime is the program's clock. Every transaction reads it, so a crash that is due comes with a read.
func (m *Machine) programTime() time.Time {
	if m.looks > 0 && m.program != nil {
		if m.looks--; m.looks == 0 {
			m.log.Note("    the process dies at a look at the clock")
			m.program.die()
		}
	}
	return m.clock.Now()
}

// kill ends the processes at once. Afterwards none of their steps runs, and nothing more is written.
func (m *Machine) kill() {
	m.looks = 0
	m.program.die()
	m.bury()
	if m.shape.Twofold() {
		m.deaths = append(m.deaths, time.Now())
	}
}

// killOther ends the second process at once. The first goes on.
func (m *Machine) killOther() error {
	p := m.program
	p.dieOne()
	m.bury()
	p.workers = slices.DeleteFunc(p.workers, func(h *worker) bool { return h.of == p.other })
	second := p.second
	p.second = nil
	m.deaths = append(m.deaths, time.Now())
	return second.Close()
}

// bury has the steps of dead processes end.
func (m *Machine) bury() {
	for {
		synctest.Wait()
		busy := false
		for _, h := range m.program.workers {
			if h.of.Err() == nil {
				continue
			}
			for _, at := range slices.Clone(h.at) {
				h.release(at)
				busy = true
			}
		}
		if !busy {
			break
		}
	}
	m.ended()
}
