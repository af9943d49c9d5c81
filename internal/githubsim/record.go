package githubsim

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// RecordedRequest is one request to an API, in order of arrival.
type RecordedRequest struct {
	Method string
	Route  string // template: /repos/{owner}/{repo}/pulls; /graphql for GraphQL; empty when unknown
	Path   string // with the query
	// Fields are the top-level fields of a GraphQL document (createRef, createPullRequest).
	Fields []string
	Status int // 0 when the reply was lost or is not there yet
	At     time.Time
}

// recorder remembers what went over the wire.
type recorder struct {
	mu       sync.Mutex
	requests []RecordedRequest
	reports  []error
	last     map[string]saved // by request; bounded by mostSaved
}

// mostSaved is how many answers are kept for stale reads; when there are more, all are forgotten.
const mostSaved = 1000

// saved is the last good answer to a request, for stale reads.
type saved struct {
	status int
	header http.Header
	body   []byte
}

// Requests lists every API request so far.
func (s *Server) Requests() []RecordedRequest {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	return slices.Clone(s.record.requests)
}

// CountRequests counts the requests so far that a route matches.
func (s *Server) CountRequests(match Route) int {
	count := 0
	for _, r := range s.Requests() {
		if match.matches(r) {
			count++
		}
	}
	return count
}

// ForgetRequests empties the list, so that a test can count from here.
func (s *Server) ForgetRequests() {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	s.record.requests = nil
}

func (r *recorder) violation(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports = append(r.reports, err)
}

func (r *recorder) violations() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.reports)
}

// begin notes a request and answers its place in the list.
func (r *recorder) begin(request RecordedRequest) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, request)
	return len(r.requests) - 1
}

func (r *recorder) end(place, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if place < len(r.requests) {
		r.requests[place].Status = status
	}
}

// describe reads off a request what records and faults match on. The body is put back.
func (s *Server) describe(r *http.Request) (RecordedRequest, []byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, largestBody))
	if err != nil {
		return RecordedRequest{}, nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	described := RecordedRequest{Method: r.Method, Path: r.URL.RequestURI(), At: s.options.Clock()}
	if r.URL.Path == "/api/graphql" {
		described.Route, described.Fields = "/graphql", topFields(body)
		return described, body, nil
	}
	if matched, _, found := match(s.routes, r.Method, strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3")); found {
		described.Route = matched.template
	}
	return described, body, nil
}

// topFields lists the top-level fields of a GraphQL request; none when it does not parse.
func topFields(body []byte) []string {
	var in struct {
		Query string `json:"query"`
	}
	if json.Unmarshal(body, &in) != nil {
		return nil
	}
	document, err := parser.ParseQuery(&ast.Source{Input: in.Query})
	if err != nil {
		return nil
	}
	var fields []string
	for _, operation := range document.Operations {
		for _, selection := range operation.SelectionSet {
			if field, isField := selection.(*ast.Field); isField {
				fields = append(fields, field.Name)
			}
		}
	}
	return fields
}
