package githubsim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// largestBody is more than any client sends; GitHub's own limit for file contents is 100 MB.
const largestBody = 64 << 20

// handler puts the doors side by side: the two APIs behind faults, recording and checks, and the pages for people.
func (s *Server) handler() http.Handler {
	api := http.Handler(http.HandlerFunc(s.serveAPI))
	if s.contract != nil {
		s.checks = s.contract.Middleware(api, s.reportBreach)
		api = s.checks
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", s.watched(api))
	mux.HandleFunc("/", s.servePages)
	return mux
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
	if err != nil {
		write(w, r, reply{status: http.StatusRequestEntityTooLarge, body: asAPIError(refuse(http.StatusRequestEntityTooLarge, "Payload too big")).json()})
		return
	}
	if r.URL.Path == "/api/graphql" {
		s.serveGraphQL(w, r, raw)
		return
	}
	out := s.answer(r, raw)
	write(w, r, out)
}

// answer carries out one REST request under the lock.
func (s *Server) answer(r *http.Request, raw []byte) reply {
	matched, params, found := match(s.routes, r.Method, strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3"))
	if !found {
		s.report(fmt.Errorf("unknown route %s %s", r.Method, r.URL.Path))
		return reply{status: http.StatusNotImplemented, body: obj{"message": "githubsim has no route " + r.Method + " " + r.URL.Path}}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &call{world: s.world, server: s, request: r, raw: raw, params: params}
	out, err := s.serve(c, matched)
	if err != nil {
		e := asAPIError(err)
		if e.status == http.StatusInternalServerError {
			s.report(fmt.Errorf("serve %s %s: %w", r.Method, r.URL.Path, err))
		}
		out = reply{status: e.status, body: e.json(), header: out.header}
	}
	return s.finish(c, matched, out)
}

// serve asks in the order GitHub does: who are you, how much have you asked already, may you, and only then what.
func (s *Server) serve(c *call, r route) (reply, error) {
	who, err := s.authenticate(c.request)
	if err != nil {
		return reply{}, err
	}
	c.who = who
	if err := r.admit(who); err != nil {
		return reply{}, err
	}
	if err := s.world.spend(who, resourceCore); err != nil {
		return reply{}, err
	}
	if _, named := c.params["repo"]; named {
		repo, found := s.world.repo(c.params["owner"] + "/" + c.params["repo"])
		if !found {
			return reply{}, notFound()
		}
		c.repo = repo
		if r.caller != asApp {
			if err := s.world.authorize(who, repo, r.needs); err != nil {
				return reply{}, err
			}
		}
	} else if who.kind == asInstallation && len(r.needs) > 0 && !allowed(who.grant.permissions, r.needs) {
		return reply{}, refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	return r.serve(c)
}

// finish completes an answer to what GitHub's description requires and adds the headers that every answer carries.
func (s *Server) finish(c *call, r route, out reply) reply {
	if out.header == nil {
		out.header = http.Header{}
	}
	if s.contract != nil && out.status < 300 && out.body != nil {
		filled, err := s.fill(r, out)
		if err != nil {
			s.report(fmt.Errorf("complete %s %s: %w", r.method, r.template, err))
		} else {
			out.body = filled
		}
	}
	encoded, err := encode(out)
	if err != nil {
		s.report(fmt.Errorf("encode %s %s: %w", r.method, r.template, err))
	}
	out.body = encoded
	out.header.Set("Date", s.world.now().Format(http.TimeFormat))
	out.header.Set("X-GitHub-Media-Type", "github.v3; format=json")
	out.header.Set("X-GitHub-Request-Id", fmt.Sprintf("SIM0:%X", s.world.nextRequest()))
	if c.request.Method == http.MethodGet && out.status == http.StatusOK {
		tag(c.request, &out, encoded)
	}
	if out.status == http.StatusNotModified {
		s.world.refund(c.who, resourceCore)
	}
	s.world.limitHeaders(c.who, resourceCore, out.header)
	return out
}

// tag adds the ETag and turns an unchanged answer into a 304.
func tag(r *http.Request, out *reply, encoded []byte) {
	sum := sha256.Sum256(encoded)
	etag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	out.header.Set("ETag", etag)
	out.header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	out.header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, Accept, X-Requested-With")
	if r.Header.Get("If-None-Match") == etag {
		out.status, out.body = http.StatusNotModified, []byte(nil)
	}
}

// encode turns a body into bytes; raw bytes stay as they are.
func encode(out reply) ([]byte, error) {
	switch body := out.body.(type) {
	case nil:
		return nil, nil
	case []byte:
		return body, nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out.body); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

func write(w http.ResponseWriter, r *http.Request, out reply) {
	encoded, err := encode(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for key, values := range out.header {
		w.Header()[key] = values
	}
	if len(encoded) > 0 && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(encoded)))
	if out.status == http.StatusNoContent || out.status == http.StatusNotModified {
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(out.status)
	if r.Method != http.MethodHead {
		w.Write(encoded)
	}
}
