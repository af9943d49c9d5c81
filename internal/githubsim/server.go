package githubsim

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"

	"waybill/internal/githubsim/contract"
)

// Server is one running GitHub. Its methods are safe for concurrent use; the state is changed by one request or act at a time.
type Server struct {
	options  Options
	contract *contract.Contract
	checks   *contract.Middleware
	http     *http.Server
	listener net.Listener
	routes   []route
	faults   *Faults
	courier  *courier
	record   recorder
	issuer   issuer

	mu    sync.Mutex // guards what follows
	world *world
	shown http.Handler // the pages for people, nil: none
}

// Start listens and serves until Close. A server holds one GitHub App, the accounts every GitHub has (github-actions) and nothing else.
func Start(options Options) (*Server, error) {
	options = options.withDefaults()
	if options.App.PrivateKey == nil {
		key, err := processKey()
		if err != nil {
			return nil, fmt.Errorf("generate app key: %w", err)
		}
		options.App.PrivateKey = key
	}
	s := &Server{options: options, faults: &Faults{clock: options.Clock}}
	if !options.Unchecked {
		loaded, err := contract.Load()
		if err != nil {
			return nil, fmt.Errorf("load description of GitHub: %w", err)
		}
		s.contract = loaded
	}
	dir, err := os.MkdirTemp("", "githubsim")
	if err != nil {
		return nil, fmt.Errorf("create folder for repositories: %w", err)
	}
	if !options.Offline {
		s.listener, err = net.Listen("tcp", options.Addr)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listen on %s: %w", options.Addr, err), os.RemoveAll(dir))
		}
	}
	s.courier = newCourier(options)
	s.world = newWorld(options, dir, s.URL(), s.deliver)
	s.routes = s.routeTable()
	s.http = &http.Server{Handler: s.handler()}
	if !options.Offline {
		go s.courier.run()
		go s.http.Serve(s.listener)
	}
	return s, nil
}

// processKey is made once per process, because making one takes longer than everything else a test does.
var processKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// Close stops the server, drops undelivered webhooks and removes the repositories.
func (s *Server) Close() error {
	s.courier.close()
	err := s.http.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(err, os.RemoveAll(s.world.dir))
}

// URL is the address of the pages for people, without a slash at the end (GITHUB_WEB_URL).
func (s *Server) URL() string {
	if s.options.Offline {
		return "http://github.invalid"
	}
	return "http://" + s.listener.Addr().String()
}

// V3URL is the address of the REST API (GITHUB_V3_API_URL).
func (s *Server) V3URL() string { return s.URL() + "/api/v3" }

// V4URL is the address of the GraphQL API (GITHUB_V4_API_URL).
func (s *Server) V4URL() string { return s.URL() + "/api/graphql" }

// AppID is the id of the App under test.
func (s *Server) AppID() int64 { return s.options.App.ID }

// WebhookSecret is what the App's webhooks are signed with.
func (s *Server) WebhookSecret() string { return s.options.App.WebhookSecret }

// PrivateKeyPEM is the App's key as GitHub hands it out: PKCS#1 in PEM.
func (s *Server) PrivateKeyPEM() string {
	der := x509.MarshalPKCS1PrivateKey(s.options.App.PrivateKey)
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: der}))
}

// Faults is the place to break things.
func (s *Server) Faults() *Faults { return s.faults }

// Violations lists everything that was reported so far: unknown routes, unsupported fields, broken exchanges.
func (s *Server) Violations() []error { return s.record.violations() }

func (s *Server) report(err error) {
	s.record.violation(err)
	s.options.Report(err)
}
