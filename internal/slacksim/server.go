package slacksim

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"time"

	"waybill/internal/wireless"
)

// Options configure a Slack. The zero value is a workspace without people or channels.
type Options struct {
	Addr string // the address to listen on; 127.0.0.1:0 if empty
	// Offline disables the network: requests use RoundTrip.
	Offline bool
	// Wire carries the requests to the App; http.DefaultTransport if nil.
	Wire       http.RoundTripper
	Clock      func() time.Time // time.Now if nil
	Enterprise string           // the organization of the workspace; empty: none
	// Report receives invalid requests of the App under test; may be nil.
	Report func(error)
	// Retries are the delays before each further attempt to deliver an event: {0, 1m, 5m} if nil.
	Retries []time.Duration
	// AckTime is the App's time limit to acknowledge; 3 s if zero.
	AckTime time.Duration
	// PostsPerSecond limits the messages of an App to one channel in a second; 0: no limit.
	PostsPerSecond int
	SigningSecret  string // "a signing secret of nobody" if empty
	BotToken       string // "xoxb-sandbox" if empty
	AppToken       string // "xapp-sandbox" if empty
	// Scopes are those of the bot token; those that a bot needs to post and to hear people, if nil.
	Scopes []string
}

// Server is one running Slack with one workspace, one App installed in it, and its bot user. Its methods are safe for
// concurrent use.
type Server struct {
	*Courier

	options  Options
	http     *http.Server
	listener net.Listener // nil: offline
	api      *webAPI
	world    *world
}

// The workspace and its App.
const (
	Team  = "T0ACME"
	AppID = "A0WAYBILL"
	Bot   = "U0WAYBILL" // the App's bot user
	botID = "B0WAYBILL"
)

// Start starts a server that serves until Close. Offline it does not listen.
func Start(o Options) (*Server, error) {
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:0")
	o.SigningSecret = cmp.Or(o.SigningSecret, "a signing secret of nobody")
	o.BotToken = cmp.Or(o.BotToken, "xoxb-sandbox")
	o.AppToken = cmp.Or(o.AppToken, "xapp-sandbox")
	o.AckTime = cmp.Or(o.AckTime, 3*time.Second)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Scopes == nil {
		o.Scopes = []string{"app_mentions:read", "chat:write", "commands", "im:write", "users:read"}
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if o.Retries == nil {
		o.Retries = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	s := &Server{options: o}
	s.world = newWorld(o.Clock, s.URL)
	s.api = &webAPI{options: o, world: s.world}
	s.Courier = &Courier{
		secret: o.SigningSecret, clock: o.Clock, wire: o.Wire, ackTime: o.AckTime, retries: o.Retries,
		serial: s.world.number, stop: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", s.api.serve)
	mux.HandleFunc("POST /commands/{team}/{id}", s.api.respond)
	mux.HandleFunc("GET /link", s.socket)
	s.http = &http.Server{Handler: mux}
	if o.Offline {
		return s, nil
	}
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", o.Addr, err)
	}
	s.listener = listener
	go s.http.Serve(listener)
	return s, nil
}

// RoundTrip answers a request without a network. It returns io.ErrUnexpectedEOF if a fault loses the reply.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	return wireless.Answer(s.http.Handler, r)
}

// Close stops the server, drops events that wait for another attempt, and closes every websocket.
func (s *Server) Close() error {
	err := s.http.Close()
	s.Courier.close()
	return err
}

// URL returns the address of this Slack, without a slash at the end.
func (s *Server) URL() string {
	if s.listener == nil {
		return "http://slack.invalid"
	}
	return "http://" + s.listener.Addr().String()
}

// APIURL returns the address of the Web API (SLACK_API_URL).
func (s *Server) APIURL() string { return s.URL() + "/api/" }

// SigningSecret returns the secret that signs requests to the App.
func (s *Server) SigningSecret() string { return s.options.SigningSecret }

// BotToken returns the App's token for the Web API.
func (s *Server) BotToken() string { return s.options.BotToken }

// AppToken returns the App's token for Socket Mode.
func (s *Server) AppToken() string { return s.options.AppToken }

// Faults returns the faults, with which tests make requests fail.
func (s *Server) Faults() *Faults { return &s.api.faults }
