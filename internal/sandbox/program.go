package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
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
	ctx     context.Context // ends when the program is killed
	cancel  context.CancelFunc
	ended   chan struct{}
	failed  error
	url     string
	steps   *stepped // nil if its workers run in goroutines
}

// start starts Waybill on a database file and points GitHub's webhooks at it.
func start(ctx context.Context, github *githubsim.Server, c config.Server, around app.World) (*program, error) {
	listener, err := net.Listen("tcp", cmp.Or(c.Listen, "127.0.0.1:0"))
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	around.Grace = -1 // kill must end it as a crash would
	c.PublicURL = "http://" + listener.Addr().String()
	c.Workflows = config.Workflows{Issuer: github.URL() + "/_services/token", Audience: c.PublicURL}
	service, err := app.NewService(ctx, c, around)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	p := &program{
		App: service.App, store: service.Store, service: service,
		ended: make(chan struct{}), url: c.PublicURL,
	}
	p.ctx, p.cancel = context.WithCancel(ctx)
	go func() {
		defer close(p.ended)
		p.failed = service.Serve(p.ctx, listener)
	}()
	github.SetWebhookURL(p.url + "/api/github/hook")
	return p, nil
}

// signIn is the OAuth client of Waybill at a simulated GitHub. The person in the browser is ann.
var signIn = githubsim.OAuth{ClientID: "Iv1.sandbox", ClientSecret: "a secret of nobody", As: "ann"}

// settings returns the settings of a server that uses a simulated GitHub.
func settings(github *githubsim.Server, file string) config.Server {
	return config.Server{
		DatabaseURL: config.Secret("sqlite://" + file),
		Resync:      config.DefaultResync,
		GitHub: config.GitHub{
			WebURL: github.URL(), V3APIURL: github.V3URL(), V4APIURL: github.V4URL(), AppID: github.AppID(),
			PrivateKey: config.Secret(github.PrivateKeyPEM()), WebhookSecret: config.Secret(github.WebhookSecret()),
			OAuthClientID: signIn.ClientID, OAuthClientSecret: config.Secret(signIn.ClientSecret),
		},
	}
}

// rest waits until no work is left, or does the work in a stepped program, and returns the time at which work is due
// next. It gives up when the program is killed.
func (p *program) rest(ctx context.Context) (time.Time, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	if p.steps != nil {
		return p.restStepped(ctx)
	}
	return p.Rest(ctx)
}

// kill ends the program as a crash would: work in progress is cut off. It returns when the program has ended.
func (p *program) kill() error {
	p.cancel()
	<-p.ended
	return p.service.Close()
}
