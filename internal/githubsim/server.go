package githubsim

import (
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"waybill/internal/githubsim/access"
	"waybill/internal/githubsim/contract"
	"waybill/internal/githubsim/graphql"
	"waybill/internal/githubsim/hooks"
	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
	"waybill/internal/githubsim/rest"
	"waybill/internal/githubsim/signin"
	"waybill/internal/githubsim/wire"
	"waybill/internal/wireless"
)

// Server is one running GitHub. Its methods are safe for concurrent use; one request or method at a time changes the
// state.
type Server struct {
	Admin
	Developer
	Services
	Observer
	*hooks.Courier // sends the App's webhooks

	options Options
	reports *reports
	checks  *contract.Middleware // nil: exchanges are not checked against GitHub's description
	hub     *hub.Hub
	render  *render.Renderer
	faults  *wire.Faults
	wire    *wire.Wire
	api     *rest.API
	graph   *graphql.API
	ruled   bool // the default branches have rules for Apps; guarded by the hub's lock

	withheld withheld // guarded by the hub's lock
	// enterprise is the version of the Enterprise Server that this is, see BeEnterprise; guarded by the hub's lock.
	enterprise string
	tokens     *access.Tokens
	limits     *access.Limits
	signIn     *signin.Pages
	issuer     *signin.Issuer

	http     *http.Server
	listener net.Listener
	dir      string       // of the repositories
	shown    http.Handler // the pages for people, nil: none; guarded by the hub's lock
}

// Start starts a server that serves until Close. It begins with one GitHub App and the accounts that every GitHub has
// (github-actions).
func Start(options Options) (*Server, error) {
	options = options.withDefaults()
	if options.App.PrivateKey == nil {
		key, err := processKey()
		if err != nil {
			return nil, fmt.Errorf("generate app key: %w", err)
		}
		options.App.PrivateKey = key
	}
	s := &Server{options: options, reports: &reports{then: options.Report}}
	var description *contract.Contract
	if !options.Unchecked {
		loaded, err := contract.Load()
		if err != nil {
			return nil, fmt.Errorf("load description of GitHub: %w", err)
		}
		description = loaded
	}
	var err error
	if s.dir, err = os.MkdirTemp("", "githubsim"); err != nil {
		return nil, fmt.Errorf("create folder for repositories: %w", err)
	}
	if !options.Offline {
		s.listener, err = net.Listen("tcp", options.Addr)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listen on %s: %w", options.Addr, err), os.RemoveAll(s.dir))
		}
	}
	s.build(description)
	if !options.Offline {
		go s.http.Serve(s.listener)
	}
	return s, nil
}

// build connects the parts: requests go through the wire and the checks to an API, the APIs change the hub, and the hub
// sends events to the courier.
func (s *Server) build(description *contract.Contract) {
	o, report := s.options, s.reports.add
	s.Courier = hooks.New(hooks.Setup{
		AppID: o.App.ID, Secret: o.App.WebhookSecret, Seed: o.Seed, Clock: o.Clock, URL: o.WebhookURL, Offline: o.Offline,
	})
	webhooks := &webhooks{contract: description, courier: s.Courier, report: report, breach: s.reportBreach}
	s.hub = hub.New(hub.Setup{
		Clock: o.Clock, Seed: o.Seed, Dir: s.dir, Sparse: o.Offline,
		AppID: o.App.ID, AppSlug: o.App.Slug, Permissions: o.App.Permissions, Tell: webhooks.tell,
	})
	on := locked{s.hub}
	s.Admin, s.Developer, s.Services, s.Observer = Admin{on}, Developer{on}, Services{on}, Observer{on}
	s.render = render.New(s.URL(), s.hub)
	webhooks.render = s.render
	s.tokens = access.NewTokens(s.hub, access.TokenSetup{
		Clock: o.AuthClock, Key: o.App.PrivateKey, Seed: o.Seed, Long: o.App.LongTokens,
	})
	s.limits = access.NewLimits(o.Clock, o.RateLimit)
	codes := access.NewCodes(s.hub.Clock)
	clientSecret := cmp.Or(o.OAuth.ClientSecret, "simulated-client-secret")
	s.api = rest.New(rest.Setup{
		Hub: s.hub, Render: s.render, Tokens: s.tokens, Limits: s.limits, Codes: codes, Courier: s.Courier,
		Contract: description, Report: report,
		Secrets: rest.Secrets{
			ClientID: o.OAuth.ClientID, ClientSecret: clientSecret, Webhook: o.App.WebhookSecret, PEM: s.PrivateKeyPEM(),
		},
	})
	s.graph = graphql.New(graphql.Setup{
		Hub: s.hub, Render: s.render, Tokens: s.tokens, Limits: s.limits, Contract: description, Report: report,
	})
	s.signIn = signin.New(signin.Setup{
		Hub: s.hub, Tokens: s.tokens, Codes: codes, Courier: s.Courier, Report: report,
		ClientID: o.OAuth.ClientID, ClientSecret: clientSecret, As: o.OAuth.As,
	})
	s.issuer = signin.NewIssuer(s.hub, s.URL(), o.Seed)
	s.faults = wire.NewFaults(o.Clock)
	s.wire = wire.New(o.Clock, s.faults, s.api.Template)
	s.http = &http.Server{Handler: s.handler(description)}
}

// handler returns the handler of the two APIs, behind faults, recording and checks, and of the pages for people.
func (s *Server) handler(description *contract.Contract) http.Handler {
	apis := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/graphql" {
			s.graph.ServeHTTP(w, r)
			return
		}
		s.api.ServeHTTP(w, r)
	}))
	checked := apis
	if description != nil {
		s.checks = description.Middleware(apis, s.reportBreach)
		checked = s.checks
		s.wire.Injected = s.checkInjected(description)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", s.front(s.wire.Watch(checked)))
	mux.HandleFunc("/", s.servePages)
	return mux
}

// front names the version in answers, and serves /repositories/{id}/..., to which former names redirect, as the
// repository's present name.
func (s *Server) front(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if version := s.enterpriseVersion(); version != "" {
			w.Header().Set("X-GitHub-Enterprise-Version", version)
		}
		if at, isID := strings.CutPrefix(r.URL.Path, "/api/v3/repositories/"); isID {
			id, rest, _ := strings.Cut(at, "/")
			if name, found := s.nameOf(id); found {
				r.URL.Path, r.URL.RawPath = strings.TrimSuffix("/api/v3/repos/"+name+"/"+rest, "/"), ""
			}
		}
		next.ServeHTTP(w, r)
	})
}

// nameOf returns the present name of a repository.
func (s *Server) nameOf(id string) (string, bool) {
	s.hub.Lock()
	defer s.hub.Unlock()
	for _, r := range s.hub.Repos.Sorted() {
		if fmt.Sprint(r.ID) == id {
			return r.FullName(), true
		}
	}
	return "", false
}

// checkInjected returns a check of the answers that faults make up: GitHub could have sent them, too.
func (s *Server) checkInjected(description *contract.Contract) func(*http.Request, []byte, http.Header, int, []byte) {
	return func(r *http.Request, body []byte, header http.Header, status int, text []byte) {
		if err := description.CheckExchange(contract.Exchange{
			Request: r, RequestBody: body, Status: status, Header: header, Body: text,
		}); err != nil {
			s.reportBreach(err)
		}
	}
}

// RoundTrip answers a request without a network. It returns io.ErrUnexpectedEOF if a fault loses the reply.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	return wireless.Answer(s.http.Handler, r)
}

// Used lists the operations of GitHub's description that were used, for tests of coverage. It is empty if the server is
// unchecked.
func (s *Server) Used() []contract.Use {
	if s.checks == nil {
		return nil
	}
	return s.checks.Used()
}

// processKey is generated once per process, because this takes longer than everything else in a test.
var processKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// Close stops the server, drops undelivered webhooks and removes the repositories.
func (s *Server) Close() error {
	s.Courier.Close()
	err := s.http.Close()
	s.hub.Lock()
	defer s.hub.Unlock()
	return errors.Join(err, os.RemoveAll(s.dir))
}

// URL returns the address of the pages for people, without a slash at the end (GITHUB_WEB_URL).
func (s *Server) URL() string {
	if s.options.Offline {
		return "http://github.invalid"
	}
	return "http://" + s.listener.Addr().String()
}

// V3URL returns the address of the REST API (GITHUB_V3_API_URL).
func (s *Server) V3URL() string { return s.URL() + "/api/v3" }

// V4URL returns the address of the GraphQL API (GITHUB_V4_API_URL).
func (s *Server) V4URL() string { return s.URL() + "/api/graphql" }

// AppID returns the id of the App under test.
func (s *Server) AppID() int64 { return s.options.App.ID }

// WebhookSecret returns the secret that signs the App's webhooks.
func (s *Server) WebhookSecret() string { return s.options.App.WebhookSecret }

// PrivateKeyPEM returns the App's key in GitHub's format: PKCS#1 in PEM.
func (s *Server) PrivateKeyPEM() string {
	der := x509.MarshalPKCS1PrivateKey(s.options.App.PrivateKey)
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: der}))
}

// Faults returns the faults, with which tests make requests fail.
func (s *Server) Faults() *wire.Faults { return s.faults }

// Violations lists all reports so far: unknown routes, unsupported fields, invalid exchanges.
func (s *Server) Violations() []error { return s.reports.list() }

// Requests lists every API request so far.
func (s *Server) Requests() []wire.RecordedRequest { return s.wire.Requests() }

// CountRequests counts the requests so far that a route matches.
func (s *Server) CountRequests(match wire.Route) int { return s.wire.Count(match) }

// ForgetRequests clears the list, so that a test can count from here.
func (s *Server) ForgetRequests() { s.wire.Forget() }

// SetRateLimit changes the number of requests that an installation has per hour, also for the current hour.
func (s *Server) SetRateLimit(requests int) {
	s.hub.Lock()
	defer s.hub.Unlock()
	s.limits.SetPerHour(requests)
}

// LeaveOfRateLimit uses up the current hour of every caller, but for so many requests of each resource.
func (s *Server) LeaveOfRateLimit(requests int) {
	s.hub.Lock()
	defer s.hub.Unlock()
	s.limits.Leave(requests)
}

// LimitContent changes the number of pull requests and comments that a caller may create in a minute and in an hour.
func (s *Server) LimitContent(perMinute, perHour int) {
	s.hub.Lock()
	defer s.hub.Unlock()
	s.limits.SetContent(access.ContentLimit{PerMinute: perMinute, PerHour: perHour})
}

// LagBehind hides each write to Git, each new pull request in lists and each new head of one from so many later
// requests, if they come within seconds.
func (s *Server) LagBehind(requests int) {
	s.hub.Lock()
	defer s.hub.Unlock()
	s.hub.Lag.Set(requests)
}

// TestMergesLast has so many requests more than the first not learn whether a pull request fits its base.
func (s *Server) TestMergesLast(requests int) {
	s.hub.Lock()
	defer s.hub.Unlock()
	s.hub.Pulls.MoreLooks = requests
}

// ListAtMost lowers the limit of recursive lists of trees, so that a test needs no large repository.
func (s *Server) ListAtMost(entries int) {
	s.hub.Lock()
	defer s.hub.Unlock()
	s.api.ListAtMost(entries)
}

// UserToken mints a user-to-server token, like that of a person's own client or of a sign-in.
func (s *Server) UserToken(login string) string {
	s.hub.Lock()
	defer s.hub.Unlock()
	return s.tokens.MintUser(s.hub.Accounts.Person(login))
}

// SignInAs sets the person at the browser for sign-ins on the web.
func (s *Server) SignInAs(login string) { s.signIn.Person(login) }

// WorkflowToken returns the token of a job with `id-token: write`.
func (s *Server) WorkflowToken(run signin.WorkflowRun) (string, error) { return s.issuer.Token(run) }

// RotateWorkflowKey replaces the key with which the issuer signs these tokens.
func (s *Server) RotateWorkflowKey() error { return s.issuer.Rotate() }

// StopIssuer makes the issuer answer every request with 503, or ends that.
func (s *Server) StopIssuer(stop bool) { s.issuer.Stop(stop) }

// KeysRead returns the number of requests for the issuer's keys.
func (s *Server) KeysRead() int { return s.issuer.KeysRead() }

// reports collects errors of the client and gaps of the simulator.
type reports struct {
	then func(error)
	mu   sync.Mutex
	all  []error
}

func (r *reports) add(err error) {
	r.mu.Lock()
	r.all = append(r.all, err)
	r.mu.Unlock()
	r.then(err)
}

func (r *reports) list() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}
