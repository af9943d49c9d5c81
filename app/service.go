package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"waybill/app/api"
	"waybill/app/gh"
	"waybill/app/notify"
	"waybill/app/pipelines"
	"waybill/app/slack"
	"waybill/app/work"
	"waybill/config"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// Service is a whole Waybill: a database, a client of GitHub, the App and its HTTP routes.
type Service struct {
	App     *App
	Store   *store.Store
	place   string // of the database, for people
	handler http.Handler
	reading *api.Server
	secure  bool // people reach it over https
	// connections bounds the open ones.
	connections *handlers.Connections
	// socketMode says that Slack sends events by Socket Mode.
	socketMode bool
}

// World has replacements of the real world for tests. The zero value is the real world.
type World struct {
	Clock func() time.Time  // time.Now if nil
	Wire  http.RoundTripper // carries the requests to GitHub, Slack and receivers of events; http.DefaultTransport if nil
	// Steady tells the time by a clock that is never set; nil: Clock since the start.
	Steady  func() time.Time
	Workers work.Workers
	// Version is that of the program, for people.
	Version string
	// Grace is how long steps that have begun at GitHub may take to end when the service stops; 0: the default; negative:
	// they are cut off, as if the process had been killed.
	Grace time.Duration
	// Rehearse has the database run the function of each transaction twice, and discard the first run.
	Rehearse bool
	// Shared lets other services write to the same database.
	Shared bool
	// Ended says that every earlier service on the database has certainly ended.
	Ended bool
	// Heard is called with each statement that runs in the database; may be nil. Several goroutines call it.
	Heard func(query string)
	// OpenReads lets everybody read everything. Only the sandbox may set it.
	OpenReads bool
	// Panicked is called with each panic that was contained; may be nil.
	Panicked func(text string, stack []byte)
}

// NewService opens the database and prepares everything else. It returns an error for settings that cannot work;
// whether GitHub can be reached shows when the service runs.
func NewService(ctx context.Context, c config.Server, s World) (_ *Service, err error) {
	if s.Clock == nil {
		s.Clock = time.Now
	}
	policy, err := readServerPolicy(c.PolicyFile)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, string(c.DatabaseURL), store.Options{
		Clock: s.Clock, Steady: s.Steady, Rehearse: s.Rehearse, Shared: s.Shared || c.Replicas, Ended: s.Ended,
		Heard: s.Heard,
		Copied: func(file string) {
			zerolog.Ctx(ctx).Info().Str("copy", file).
				Msg("the database is of an earlier version: it was copied, and is upgraded")
		},
		Content: store.ContentPace(c.Content),
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	carrier := s.Wire
	if c.Replicas {
		if s.Wire == nil {
			s.Wire = http.DefaultTransport
		}
		s.Wire = fenced{s.Wire, db}
	}
	place := store.Place(string(c.DatabaseURL))
	var a *App
	hub, err := gh.New(gh.Config{
		V3URL: c.GitHub.V3APIURL, V4URL: c.GitHub.V4APIURL, WebURL: c.GitHub.WebURL,
		AppID: c.GitHub.AppID, PrivateKey: []byte(c.GitHub.PrivateKey), Transport: s.Wire, Clock: s.Clock,
		Serves:  func(ctx context.Context, owner promotion.Actor) (bool, error) { return a.Owners.Serves(ctx, owner) },
		Observe: func(c gh.Call) { a.loop.Observe(c) },
		Changed: func(installation int64) { a.loop.Gate(installation) }, Content: db,
	})
	if err != nil {
		return nil, err
	}
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	addresses := handlers.Addresses{Proxies: c.Door.Proxies}
	var hookOrigins *handlers.Addresses
	if c.Door.OnlyGitHub {
		hookOrigins = &addresses
	}
	a = New(Options{
		HookOrigins: hookOrigins,
		Store:       db, Hub: hub, Clock: s.Clock, Owners: c.AllowedOwners, Policy: policy,
		Resync: c.Resync, Patience: c.Patience, Metrics: metrics,
		Workers: s.Workers, Grace: s.Grace, Panicked: s.Panicked, Slack: slackClient(c.Slack, s), PublicURL: c.PublicURL,
		Database: place, Version: s.Version,
		Replicas: c.Replicas,
		Events:   notify.Receiver{URL: string(c.Events.URL), Secret: []byte(c.Events.Secret)}, Wire: carrier,
	})
	reading, err := a.inapi.ReadAPI(c, s.OpenReads)
	if err != nil {
		return nil, err
	}
	handler, err := a.Handler(handlers.Options{
		Secret: string(c.GitHub.WebhookSecret), Previous: string(c.GitHub.PreviousWebhookSecret),
		AppID: c.GitHub.AppID,
	}, c.Slack, metricsOf(metrics, c.Door.OpenMetrics), reading)
	if err != nil {
		return nil, err
	}
	return &Service{
		App: a, Store: db, place: place, handler: handler, reading: reading,
		socketMode:  c.Slack.AppToken != "",
		secure:      strings.HasPrefix(c.PublicURL, "https://"),
		connections: handlers.NewConnections(addresses, cmp.Or(c.Door.PerAddress, config.DefaultPerAddress)),
	}, nil
}

// readServerPolicy reads the policy file that outranks those of the repositories. A bad one stops the start.
func readServerPolicy(file string) (pipelines.ServerPolicy, error) {
	if file == "" {
		return pipelines.ServerPolicy{}, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return pipelines.ServerPolicy{}, fmt.Errorf("read WAYBILL_POLICY_FILE: %w", err)
	}
	if err := config.CheckPolicy(file, text).Err(); err != nil {
		return pipelines.ServerPolicy{}, fmt.Errorf("read WAYBILL_POLICY_FILE: %w", err)
	}
	return pipelines.ServerPolicy{Name: file, Text: text}, nil
}

const (
	// shutdownTime is how long open requests may take when the service stops.
	shutdownTime = 5 * time.Second
	// headerTime and bodyTime bound how long a slow client may keep a connection busy, answerTime how long an answer may
	// take, idleTime how long a connection is kept for the next request. The doors for webhooks and for Slack have shorter
	// times of their own for bodies.
	headerTime = 5 * time.Second
	bodyTime   = time.Minute
	answerTime = 5 * time.Minute
	idleTime   = 2 * time.Minute
	// maxHeader is more than any honest client sends.
	maxHeader = 32 << 10
)

// Serve works and answers HTTP on a listener until the context ends. Open requests and steps may then end within a
// limit. Being stopped is no error.
func (s *Service) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: guarded(s.handler, *zerolog.Ctx(ctx), s.secure), ReadHeaderTimeout: headerTime,
		ReadTimeout: bodyTime, WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
	}
	s.connections.Bound(server)
	server.RegisterOnShutdown(s.reading.Stop)
	asked := ctx
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error { return s.App.Run(ctx) })
	if s.socketMode {
		both.Go(func() error { return s.App.inslack.Listen(ctx) })
	}
	both.Go(func() error {
		select {
		case <-s.Store.Lost():
			return fmt.Errorf("another server has taken over the database %s: this one stops", s.place)
		case <-ctx.Done():
			return nil
		}
	})
	both.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve HTTP: %w", err)
		}
		return nil
	})
	both.Go(func() error {
		<-ctx.Done()
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if server.Shutdown(limited) != nil {
			return server.Close() // cut off the open connections
		}
		return nil
	})
	err := both.Wait()
	if asked.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Handler returns the HTTP routes, for callers that serve them without Serve.
func (s *Service) Handler() http.Handler { return s.handler }

// Close closes the database.
func (s *Service) Close() error { return s.Store.Close() }

// slackClient returns the client of Slack; nil if Slack is not set up.
func slackClient(c config.Slack, s World) *slack.Client {
	if !c.On() {
		return nil
	}
	return slack.New(slack.Config{
		BotToken: string(c.BotToken), AppToken: string(c.AppToken), APIURL: c.APIURL, Transport: s.Wire, Clock: s.Clock,
	})
}
