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

// stepped is what makes a program do one thing at a time, without a network and without anything that runs by itself: a
// webhook arrives, or a worker does a step, when it is told to.
type stepped struct {
	github  *githubsim.Server
	clock   func() time.Time
	workers []*stepper
}

// stepper is a worker, and whether it may have something to do.
type stepper struct {
	name  string
	step  func(context.Context) (did bool, next time.Time, err error)
	woken <-chan struct{}
	awake bool
	next  time.Time // otherwise it looks again then; zero: when it is woken
}

// offlineURL is where a program would be that has no network.
const offlineURL = "http://waybill.invalid"

// order is in which order workers are asked for a step, which is that in which stories tell: what came in first, then
// what is decided on it, then what is done. Those that are not named come last.
var order = []string{"intake", "decide", "effects", "resync", "views"}

// startStepped starts Waybill on a database file, to do one thing at a time.
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
	close(p.ended) // nothing of it runs by itself
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

// handler is what the outside reaches: nobody once the program is dead.
func (p *program) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.service.Handler().ServeHTTP(w, r.WithContext(p.ctx))
		if p.ctx.Err() != nil {
			panic(http.ErrAbortHandler)
		}
	})
}

// step has one thing go on, and reports whether there was one.
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

// restStepped does all that there is to do, and returns when something is due next.
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
		for _, w := range p.steps.workers { // as they do from time to time
			w.awake = true
		}
	}
	return next, ctx.Err()
}

// shortKey signs the App's tokens where nobody looks at them. It is as short as the library lets it be, because signing
// costs more than most requests.
var shortKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 1024) })

// emptyDatabase is a database as the program makes it at its first start, which takes longer than to copy it.
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
