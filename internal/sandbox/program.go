package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"waybill/app"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/store"
)

// program is the whole of Waybill, running in this process against a simulated GitHub.
type program struct {
	*app.App
	store   *store.Store
	service *app.Service
	ctx     context.Context // lasts until the program is killed
	cancel  context.CancelFunc
	ended   chan struct{}
	failed  error
	url     string
}

// start starts Waybill on a database file and points GitHub's webhooks at it. It carries out so many effects at once, 0 for
// the usual number.
func start(ctx context.Context, github *githubsim.Server, file string, now func() time.Time, wire http.RoundTripper, hands int) (*program, error) {
	service, err := app.NewService(ctx, settings(github, file), app.Surroundings{Clock: now, Wire: wire, Hands: hands})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	p := &program{
		App: service.App, store: service.Store, service: service,
		ended: make(chan struct{}), url: "http://" + listener.Addr().String(),
	}
	p.ctx, p.cancel = context.WithCancel(ctx)
	go func() {
		defer close(p.ended)
		p.failed = service.Serve(p.ctx, listener)
	}()
	github.SetWebhookURL(p.url + "/api/github/hook")
	return p, nil
}

// settings are those of a server that works on a simulated GitHub.
func settings(github *githubsim.Server, file string) config.Server {
	return config.Server{
		DatabaseURL: "sqlite://" + file,
		Resync:      config.DefaultResync,
		GitHub: config.GitHub{
			WebURL: github.URL(), V3APIURL: github.V3URL(), V4APIURL: github.V4URL(),
			AppID: github.AppID(), PrivateKey: config.Secret(github.PrivateKeyPEM()), WebhookSecret: config.Secret(github.WebhookSecret()),
		},
	}
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
	return p.service.Close()
}
