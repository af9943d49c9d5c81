package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waybill/app"
	"waybill/app/gh"
	"waybill/handlers"
	"waybill/internal/githubsim"
	"waybill/store"
)

// program is the whole of Waybill, running in this process against a simulated GitHub.
type program struct {
	*app.App
	store  *store.Store
	ctx    context.Context // lasts until the program is killed
	cancel context.CancelFunc
	ended  chan struct{}
	failed error
	url    string
}

// start starts Waybill on a database file and points GitHub's webhooks at it.
func start(ctx context.Context, github *githubsim.Server, file string, now func() time.Time, wire http.RoundTripper) (*program, error) {
	db, err := store.Open(ctx, "sqlite://"+file, store.Options{Clock: now})
	if err != nil {
		return nil, err
	}
	hub, err := gh.New(gh.Config{
		V3URL: github.V3URL(), V4URL: github.V4URL(), WebURL: github.URL(),
		AppID: github.AppID(), PrivateKey: []byte(github.PrivateKeyPEM()), Transport: wire, Clock: now,
	})
	if err != nil {
		return nil, err
	}
	metrics := prometheus.NewRegistry()
	waybill := app.New(app.Options{
		Store: db, Hub: hub, Clock: now, Metrics: metrics, Self: app.Self{AppID: github.AppID(), Slug: "waybill"},
	})
	handler, err := waybill.Handler(handlers.Options{Secret: github.WebhookSecret()}, metrics)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	p := &program{App: waybill, store: db, ended: make(chan struct{}), url: "http://" + listener.Addr().String()}
	p.ctx, p.cancel = context.WithCancel(ctx)
	go func() {
		defer close(p.ended)
		p.failed = app.Serve(p.ctx, waybill, &http.Server{Handler: handler}, listener)
	}()
	github.SetWebhookURL(p.url + "/api/github/hook")
	return p, nil
}

// rest is App.Rest, given up when the program is killed.
func (p *program) rest(ctx context.Context) (time.Time, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	return p.Rest(ctx)
}

// kill ends the program as a crash would: what it was doing is left as it is. It returns once nothing of it runs.
func (p *program) kill() error {
	p.cancel()
	<-p.ended
	return p.store.Close()
}
