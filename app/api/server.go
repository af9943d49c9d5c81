package api

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"waybill/app/quota"
	"waybill/promotion"
	"waybill/store"
)

// Adapter has the facts that are not in the database, and the changes.
type Adapter interface {
	// Compiled returns the pipeline of stored files.
	Compiled(row store.PipelineRow) (*promotion.Pipeline, error)
	// Permission returns a person's permission on a pipeline's home repository, as GitHub said a short while ago, or says
	// now.
	Permission(ctx context.Context, row store.PipelineRow, who promotion.Actor) (promotion.Permission, error)
	// Remembered returns that permission as GitHub said it a short while ago; none if that is not known.
	Remembered(row store.PipelineRow, who promotion.Actor) promotion.Permission
	// Rights returns the person of a login, their permission on a pipeline's home repository, and which of the teams that
	// its policy names they are in. The actor is zero if there is no such login.
	Rights(
		ctx context.Context, row store.PipelineRow, login promotion.Login,
	) (promotion.Actor, promotion.Permission, []string, error)
	// Command gives a command in a person's name and returns its answer; the same key asks for the same once. It is
	// ErrOtherCommand if the key was used for something else.
	Command(ctx context.Context, row store.PipelineRow, by promotion.Actor, text, key string) (Answer, error)
	// Report makes freight of a report of CI; fresh is false if it was freight before. It is ErrOtherContents if freight
	// of that version has other contents, and ErrNoCommit if GitHub does not know the commit. line goes into the audit
	// trail.
	Report(
		ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, b promotion.Build, line store.Event,
	) (f promotion.Freight, fresh bool, err error)
	// Resync asks GitHub for everything that a pipeline rests on, and returns when that has been recorded.
	Resync(ctx context.Context, pipeline int64) error
	// Demands says what the rules of its branches mean for the promotions of a stage.
	Demands(tx *store.Tx, p *promotion.Pipeline, s *promotion.Stage) ([]promotion.Demand, error)
	// Given reports whether a command with this key has been given.
	Given(tx *store.Tx, key string) (bool, error)
	// Missing returns the permissions and events that the App lacks and a pipeline has a use for.
	Missing(pipeline int64) []promotion.Ungranted
	// Doctor looks at everything that may be wrong.
	Doctor(ctx context.Context) (Health, error)
}

// Options are the options of a Server. Store, Clock and Adapter must be given.
type Options struct {
	Store     *store.Store
	Clock     func() time.Time
	Adapter   Adapter
	Web       string     // the address of GitHub's pages
	Secret    string     // of the server, from which the key of its cursors is derived
	Tokens    *Tokens    // nil: no token opens anything
	SignIn    *SignIn    // nil: people cannot sign in
	Workflows *Workflows // nil: runs of workflows are not admitted
	// Network returns the network that a request comes from, the zero Prefix if it is not known; nil: it never is.
	Network   func(*http.Request) netip.Prefix
	OpenReads bool // anyone may read: the sandbox, and nothing else
}

// Server answers everything under /api/v1 and /auth.
type Server struct {
	store     *store.Store
	clock     func() time.Time
	adapter   Adapter
	web       string
	tokens    *Tokens
	scopes    scopes // of tokens
	signIn    *SignIn
	workflows *Workflows
	openReads bool
	veil      veil // of cursors in the list of pipelines
	mux       *http.ServeMux
	described func() object // of the routes
	reads     chan struct{} // taken by each reader of the database
	listeners listeners     // who listens to events
	asks      *quota.Quota  // of commands of people of whom it is not known that they may write
	network   func(*http.Request) netip.Prefix
	life      context.Context // ends when the server stops
	stop      context.CancelFunc
}

// maxReads leaves connections of the read pool to the program itself, however many people look.
const maxReads = 2

// New makes a Server.
func New(o Options) (*Server, error) {
	veil, err := newVeil(o.Secret)
	if err != nil {
		return nil, fmt.Errorf("prepare the cursors: %w", err)
	}
	s := &Server{
		store: o.Store, clock: o.Clock, adapter: o.Adapter, web: o.Web, tokens: o.Tokens, signIn: o.SignIn,
		workflows: o.Workflows,
		openReads: o.OpenReads, veil: veil, asks: quota.New(), mux: http.NewServeMux(),
		reads:   make(chan struct{}, maxReads),
		network: o.Network, described: sync.OnceValue(describeRoutes),
	}
	s.life, s.stop = context.WithCancel(context.Background())
	for _, r := range Routes {
		s.mux.Handle(r.Method+" "+r.Path, s.serve(r))
	}
	s.mux.HandleFunc(root, s.nothing)
	s.mux.HandleFunc("GET "+SignInPath, s.leave)
	s.mux.HandleFunc("GET "+CallbackPath, s.enter)
	s.mux.HandleFunc("POST "+SignOutPath, s.signOut)
	s.mux.HandleFunc("GET "+LinkPath, s.leaveToLink)
	s.mux.HandleFunc("POST "+LinkPath, s.link)
	return s, nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Stop ends every request that would otherwise keep a server from stopping: those who listen, and those who wait.
func (s *Server) Stop() { s.stop() }

// view reads the database, when it is the caller's turn.
func (s *Server) view(ctx context.Context, fn func(tx *store.Tx) error) error {
	select {
	case s.reads <- struct{}{}:
		defer func() { <-s.reads }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.store.View(ctx, fn)
}
