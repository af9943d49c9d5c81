package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"waybill/app"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/store"
)

// stepped holds the state of a program that does one thing at a time, without a network and without background work.
// Each step delivers one webhook or runs one step of a worker.
type stepped struct {
	github  *githubsim.Server
	clock   func() time.Time
	workers []*stepper
}

// stepper is a worker of a stepped program, with the time at which it may have work.
type stepper struct {
	name  string
	step  func(context.Context) (did bool, next time.Time, err error)
	woken <-chan struct{}
	awake bool
	next  time.Time // time of its next step if it is not awake; zero: when it is woken
}

// offlineURL is the public URL of a program without a network.
const offlineURL = "http://waybill.invalid"

// order is the order in which workers get a step: first intake, then decisions, then effects, as stories list them.
// Workers that are not in it come last.
var order = []string{"intake", "decide", "effects", "resync", "views"}

// startStepped starts Waybill on a database file. The program runs only in calls of step.
func startStepped(ctx context.Context, github *githubsim.Server, c config.Server, around app.World) (*program, error) {
	around.Grace = -1
	c.PublicURL = offlineURL
	c.Workflows = config.Workflows{Issuer: github.URL() + "/_services/token", Audience: c.PublicURL}
	service, err := app.NewService(ctx, c, around)
	if err != nil {
		return nil, err
	}
	p := &program{
		App: service.App, store: service.Store, service: service, ended: make(chan struct{}), url: c.PublicURL,
		steps: &stepped{github: github, clock: around.Clock},
	}
	p.ctx, p.cancel = context.WithCancel(ctx)
	close(p.ended) // there is no goroutine to wait for
	if err := p.Prepare(p.ctx); err != nil {
		return nil, errors.Join(err, service.Close())
	}
	for _, w := range p.Workers() {
		p.steps.workers = append(p.steps.workers, &stepper{name: w.Name, step: w.Step, woken: w.Woken(), awake: true})
	}
	rank := func(w *stepper) int {
		if i := slices.Index(order, w.name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(p.steps.workers, func(a, b *stepper) int { return rank(a) - rank(b) })
	github.SetWebhookURL(p.url + "/api/github/hook")
	return p, nil
}

// handler returns the HTTP handler of the program. It aborts the connection once the program has been killed.
func (p *program) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.service.Handler().ServeHTTP(w, r.WithContext(p.ctx))
		if p.ctx.Err() != nil {
			panic(http.ErrAbortHandler)
		}
	})
}

// step delivers one webhook or runs one worker, and reports whether there was work.
func (p *program) step() (did bool, err error) {
	if waiting := p.steps.github.Waiting(); len(waiting) > 0 {
		p.steps.github.Post(waiting[0].ID, p.handler())
		return true, p.ctx.Err()
	}
	now := p.steps.clock()
	for _, w := range p.steps.workers {
		select {
		case <-w.woken:
			w.awake = true
		default:
		}
		if !w.awake && (w.next.IsZero() || w.next.After(now)) {
			continue
		}
		did, next, err := w.step(p.ctx)
		switch {
		case p.ctx.Err() != nil:
			return true, p.ctx.Err()
		case err != nil:
			return true, fmt.Errorf("%s: %w", w.name, err)
		}
		w.awake, w.next = did, next
		if did {
			return true, nil
		}
	}
	return false, nil
}

// restStepped does all the work there is, and returns the time at which work is due next.
func (p *program) restStepped(ctx context.Context) (next time.Time, err error) {
	for ctx.Err() == nil {
		did, err := p.step()
		if err != nil {
			return next, err
		}
		if did {
			continue
		}
		var n int64
		err = p.store.View(ctx, func(tx *store.Tx) error {
			n, next, err = tx.Upkeep.Backlog()
			return err
		})
		if err != nil || n == 0 {
			return next, err
		}
		for _, w := range p.steps.workers { // as when a worker polls
			w.awake = true
		}
	}
	return next, ctx.Err()
}

// shortKey returns the App's key in stepped worlds, where security does not matter. It has the least length that the
// library allows, because signing costs more than most requests.
var shortKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 1024) })

// emptyDatabase returns a database file as the first start creates it. Copying it is faster than creating it again.
var emptyDatabase = sync.OnceValues(func() (file []byte, err error) {
	folder, err := os.MkdirTemp("", "waybill-story-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for an empty database: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	name := filepath.Join(folder, "empty.db")
	s, err := store.Open(context.Background(), "sqlite://"+name, store.Options{})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
})
